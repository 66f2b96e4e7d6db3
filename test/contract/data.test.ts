import { dataSubjects } from './subjects/data-subjects';
import { allocateContract } from './suites/allocate-contract';
import { apiKeysContract } from './suites/api-keys-contract';
import { bucketsContract } from './suites/buckets-contract';
import { changeLogContract } from './suites/change-log-contract';
import { commitsContract } from './suites/commits-contract';
import { keyStoreContract } from './suites/key-store-contract';
import { objectsContract } from './suites/objects-contract';
import { ratesContract } from './suites/rates-contract';
import { restoringContract } from './suites/restoring-contract';
import { serviceStateContract } from './suites/service-state-contract';
import { subscriptionsContract } from './suites/subscriptions-contract';
import { targetCursorsContract } from './suites/target-cursors-contract';
import { uploadsContract } from './suites/uploads-contract';

const CONTRACTS = [
  allocateContract,
  apiKeysContract,
  bucketsContract,
  changeLogContract,
  commitsContract,
  keyStoreContract,
  objectsContract,
  ratesContract,
  restoringContract,
  serviceStateContract,
  subscriptionsContract,
  targetCursorsContract,
  uploadsContract,
];

for (const contract of CONTRACTS) {
  for (const [name, open] of dataSubjects) contract(name, open);
}
