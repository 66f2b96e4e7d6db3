import { dataSubjects } from './data-subjects';
import { uploadsContract } from './uploads-contract';

for (const [name, open] of dataSubjects) uploadsContract(name, open);
