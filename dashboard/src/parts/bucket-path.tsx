/** The breadcrumbs of a bucket's pages. */
import BreadcrumbGroup from '@cloudscape-design/components/breadcrumb-group';
import { type BucketPage, hrefOf } from './navigation';

export const BUCKET_PAGE_TITLES: Readonly<Record<BucketPage, string>> = {
  changes: 'Changes',
  history: 'History',
  links: 'Links',
  settings: 'Settings',
};

export function BucketPath({
  bucket,
  page,
}: {
  readonly bucket: string;
  readonly page: BucketPage;
}) {
  return (
    <BreadcrumbGroup
      ariaLabel="Where this page is"
      items={[
        { text: 'Buckets', href: hrefOf({ page: 'buckets' }) },
        { text: bucket, href: hrefOf({ page: 'objects', bucket, prefix: '' }) },
        { text: BUCKET_PAGE_TITLES[page], href: hrefOf({ page, bucket }) },
      ]}
    />
  );
}
