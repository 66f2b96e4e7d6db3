import { App } from 'aws-cdk-lib';
import { FoldersStack } from '../lib/folders-stack';

new FoldersStack(new App(), 'folders');
