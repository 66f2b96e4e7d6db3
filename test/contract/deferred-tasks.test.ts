import { deferredTasksSubjects } from './subjects/deferred-tasks-subjects';
import { deferredTasksContract } from './suites/deferred-tasks-contract';

for (const [name, open] of deferredTasksSubjects) deferredTasksContract(name, open);
