import { dataSubjects } from './data-subjects';
import { positionsContract } from './positions-contract';

for (const [name, open] of dataSubjects) positionsContract(name, open);
