/** Selects the component of a page. */
import { AuditPage } from './audit/audit-page';
import { BucketsPage } from './buckets/buckets-page';
import { ChangesPage } from './changes/changes-page';
import { HistoryPage } from './history/history-page';
import { KeyPage } from './keys/key-page';
import { KeysPage } from './keys/keys-page';
import { LinksPage } from './links/links-page';
import { ObjectPage } from './objects/object-page';
import { ObjectsPage } from './objects/objects-page';
import { OverviewPage } from './overview/overview-page';
import type { Page } from './parts/navigation';
import { ReferencePage } from './reference/reference-page';
import { SettingsPage } from './settings/settings-page';
import { UsagePage } from './usage/usage-page';

/** The React keys make the page of another bucket or key start with new state. */
export function PageContent({ page }: { readonly page: Page }) {
  switch (page.page) {
    case 'overview':
      return <OverviewPage />;
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
      return <UsagePage />;
    case 'reference':
      return <ReferencePage />;
    case 'changes':
      return <ChangesPage key={page.bucket} bucket={page.bucket} />;
    case 'key':
      return <KeyPage key={page.id} id={page.id} />;
    case 'history':
      return <HistoryPage key={page.bucket} bucket={page.bucket} />;
    case 'settings':
      return <SettingsPage key={page.bucket} bucket={page.bucket} />;
    case 'links':
      return <LinksPage key={page.bucket} bucket={page.bucket} />;
  }
}
