import { dataSubjects } from './data-subjects';
import { keyStoreContract } from './key-store-contract';

for (const [name, open] of dataSubjects) keyStoreContract(name, open);
