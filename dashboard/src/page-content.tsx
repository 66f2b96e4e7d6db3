/** Selects the component of a page. */
import { AuditPage } from './audit/audit-page';
import { BucketsPage } from './buckets/buckets-page';
import { ChangesPage } from './changes/changes-page';
import { KeysPage } from './keys/keys-page';
import { LinksPage } from './links/links-page';
import type { Page } from './navigation';
import { ObjectPage } from './objects/object-page';
import { ObjectsPage } from './objects/objects-page';
import { ReferencePage } from './reference/reference-page';
import { UsagePage } from './usage/usage-page';

/** React keys, so that the page of another bucket or key starts with new state. */
export function PageContent({ page }: { readonly page: Page }) {
  switch (page.page) {
    case 'keys':
      return <KeysPage />;
    case 'audit':
      return <AuditPage />;
    case 'buckets':
      return <BucketsPage />;
    case 'objects':
      return <ObjectsPage key={page.bucket} bucket={page.bucket} prefix={page.prefix} />;
    case 'object':
      return (
        <ObjectPage key={`${page.bucket}/${page.key}`} bucket={page.bucket} objectKey={page.key} />
      );
    case 'usage':
      return <UsagePage keyId={page.key} />;
    case 'reference':
      return <ReferencePage />;
    case 'changes':
      return <ChangesPage key={page.bucket} bucket={page.bucket} />;
    case 'links':
      return <LinksPage key={page.bucket} bucket={page.bucket} />;
  }
}
