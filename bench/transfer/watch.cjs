// Loaded into each measured process: writes into the file WATCH_FILE what it has received, sent and
// used so far. A process that is killed leaves its last state there.
const { subscribe } = require('node:diagnostics_channel');
const fs = require('node:fs');

const INTERVAL_MS = 10;
/** A line of this length replaces the one before in a single write. */
const LINE = 120;

const sockets = new Set();
const ended = { received: 0, sent: 0 };
const file = fs.openSync(process.env.WATCH_FILE, 'w');

subscribe('net.client.socket', ({ socket }) => {
  sockets.add(socket);
  socket.once('close', () => {
    sockets.delete(socket);
    ended.received += socket.bytesRead;
    ended.sent += socket.bytesWritten;
  });
});

function record() {
  let { received, sent } = ended;
  for (const socket of sockets) {
    received += socket.bytesRead;
    sent += socket.bytesWritten;
  }
  const [, peakKb] = /VmHWM:\s+(\d+)/.exec(fs.readFileSync('/proc/self/status', 'utf8')) ?? [];
  const { user, system } = process.cpuUsage();
  const state = {
    received,
    sent,
    peakBytes: Number(peakKb) * 1024,
    cpuSeconds: (user + system) / 1e6,
  };
  fs.writeSync(file, JSON.stringify(state).padEnd(LINE), 0);
}

setInterval(record, INTERVAL_MS).unref();
process.on('exit', record);
