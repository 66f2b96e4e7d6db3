import { changeLogContract } from './change-log-contract';
import { dataSubjects } from './data-subjects';

for (const [name, open] of dataSubjects) changeLogContract(name, open);
