import { dataSubjects } from './data-subjects';
import { objectsContract } from './objects-contract';

for (const [name, open] of dataSubjects) objectsContract(name, open);
