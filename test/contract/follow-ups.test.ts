import { followUpSubjects } from './follow-up-subjects';
import { followUpsContract } from './follow-ups-contract';

for (const [name, open] of followUpSubjects) followUpsContract(name, open);
