import { dataSubjects } from './subjects/data-subjects';
import { apiKeysContract } from './suites/access/api-keys-contract';
import { keyStoreContract } from './suites/access/key-store-contract';
import { ratesContract } from './suites/access/rates-contract';
import { slotsContract } from './suites/access/slots-contract';
import { allocateContract } from './suites/allocate-contract';
import { bucketsContract } from './suites/buckets-contract';
import { changeLogContract } from './suites/change-log-contract';
import { consumersContract } from './suites/channel/consumers-contract';
import { commitsContract } from './suites/commits-contract';
import { pendingCopiesContract } from './suites/copies/pending-copies-contract';
import { linksContract } from './suites/links-contract';
import { objectsContract } from './suites/objects-contract';
import { restoringContract } from './suites/restoring-contract';
import { serviceStateContract } from './suites/service-state-contract';
import { severalChangesContract } from './suites/several-changes-contract';
import { subscriptionsContract } from './suites/subscriptions-contract';
import { targetCursorsContract } from './suites/target-cursors-contract';
import { uploadsContract } from './suites/uploads-contract';

const CONTRACTS = [
  allocateContract,
  apiKeysContract,
  bucketsContract,
  changeLogContract,
  commitsContract,
  severalChangesContract,
  consumersContract,
  keyStoreContract,
  linksContract,
  objectsContract,
  pendingCopiesContract,
  ratesContract,
  restoringContract,
  serviceStateContract,
  slotsContract,
  subscriptionsContract,
  targetCursorsContract,
  uploadsContract,
];

for (const contract of CONTRACTS) {
  for (const [name, open] of dataSubjects) contract(name, open);
}
