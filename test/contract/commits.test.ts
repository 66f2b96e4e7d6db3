import { commitsContract } from './commits-contract';
import { dataSubjects } from './data-subjects';

for (const [name, open] of dataSubjects) commitsContract(name, open);
