import { dataSubjects } from './data-subjects';
import { ratesContract } from './rates-contract';

for (const [name, open] of dataSubjects) ratesContract(name, open);
