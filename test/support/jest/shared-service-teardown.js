const { serviceOwner } = require('../local-service/service-owner.ts');

/** After the last test file. */
module.exports = () => serviceOwner.close();
