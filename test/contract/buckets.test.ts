import { bucketsContract } from './buckets-contract';
import { dataSubjects } from './data-subjects';

for (const [name, open] of dataSubjects) bucketsContract(name, open);
