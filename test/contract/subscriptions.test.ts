import { subscriptionSubjects } from './subscription-subjects';
import { subscriptionsContract } from './subscriptions-contract';

for (const [name, open] of subscriptionSubjects) subscriptionsContract(name, open);
