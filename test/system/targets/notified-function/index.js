// A target of change notifications: appends each message to a file, and fails now and then.
const { appendFileSync } = require('node:fs');

let calls = 0;

exports.handler = async (message) => {
  calls += 1;
  if (calls % 7 === 3) throw new Error('not now');
  appendFileSync(process.env.RECEIVED, `${JSON.stringify(message)}\n`);
  if (calls % 7 === 5) throw new Error('failed after the message was recorded');
};
