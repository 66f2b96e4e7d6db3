const { serviceOwner } = require('../local-service/service-owner.ts');
const { OWNER_VARIABLE } = require('../local-service/shared-service.ts');

/** Before the first test file: the processes of test files inherit the variable. */
module.exports = async () => {
  process.env[OWNER_VARIABLE] = await serviceOwner.listen();
};
