import { apiKeysContract } from './api-keys-contract';
import { dataSubjects } from './data-subjects';

for (const [name, open] of dataSubjects) apiKeysContract(name, open);
