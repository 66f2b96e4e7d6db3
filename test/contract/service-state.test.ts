import { dataSubjects } from './data-subjects';
import { serviceStateContract } from './service-state-contract';

for (const [name, open] of dataSubjects) serviceStateContract(name, open);
