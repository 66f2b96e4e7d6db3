import { App } from 'aws-cdk-lib';
import { GalleryStack } from '../lib/gallery-stack';

new GalleryStack(new App(), 'gallery');
