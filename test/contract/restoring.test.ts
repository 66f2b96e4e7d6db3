import { dataSubjects } from './data-subjects';
import { restoringContract } from './restoring-contract';

for (const [name, open] of dataSubjects) restoringContract(name, open);
