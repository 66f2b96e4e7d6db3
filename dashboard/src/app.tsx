/** The frame of all pages: the signed-in user, the navigation, and the page itself. */
import AppLayout from '@cloudscape-design/components/app-layout';
import Box from '@cloudscape-design/components/box';
import Link from '@cloudscape-design/components/link';
import SideNavigation, {
  type SideNavigationProps,
} from '@cloudscape-design/components/side-navigation';
import TopNavigation from '@cloudscape-design/components/top-navigation';
import { useEffect, useState } from 'react';
import { shownText } from '../../core/hidden';
import { ExpiredNote } from './expired-note';
import mark from './icon.svg';
import { PageContent } from './page-content';
import { BUCKET_PAGE_TITLES } from './parts/bucket-path';
import { BUCKET_PAGES, hrefOf, type Page, usePage } from './parts/navigation';
import { useSession, useSessionState, useSignedIn } from './session/session-context';
import { SignInPage } from './sign-in-page';
import { chooseTheme, type Theme, theme } from './theme';

export function App() {
  const state = useSessionState();
  return state.phase === 'signed-in' ? <Frame /> : <SignInPage />;
}

const BUCKETS = { type: 'link', text: 'Buckets', href: hrefOf({ page: 'buckets' }) } as const;

const NAVIGATION: readonly SideNavigationProps.Item[] = [
  { type: 'link', text: 'Overview', href: hrefOf({ page: 'overview' }) },
  BUCKETS,
  { type: 'link', text: 'API keys', href: hrefOf({ page: 'keys' }) },
  { type: 'link', text: 'Usage', href: hrefOf({ page: 'usage' }) },
  { type: 'link', text: 'Audit', href: hrefOf({ page: 'audit' }) },
  { type: 'divider' },
  { type: 'link', text: 'API reference', href: hrefOf({ page: 'reference' }) },
];

/** In a bucket, its pages are listed below its name. */
function itemsOf(page: Page | undefined): readonly SideNavigationProps.Item[] {
  if (page === undefined || !('bucket' in page)) return NAVIGATION;
  const { bucket } = page;
  const group: SideNavigationProps.Item = {
    type: 'section-group',
    title: bucket,
    items: [
      { type: 'link', text: 'Objects', href: hrefOf({ page: 'objects', bucket, prefix: '' }) },
      ...BUCKET_PAGES.map((name) => ({
        type: 'link' as const,
        text: BUCKET_PAGE_TITLES[name],
        href: hrefOf({ page: name, bucket }),
      })),
    ],
  };
  return NAVIGATION.flatMap((item) => (item === BUCKETS ? [item, group] : [item]));
}

const isNarrow = () => window.matchMedia('(max-width: 911px)').matches;

function Frame() {
  const page = usePage();
  const [isOpen, setOpen] = useState(!isNarrow());
  useTitle(page);
  useSoundNavigation();
  return (
    <>
      <div id="top" className="top">
        <Top />
      </div>
      <AppLayout
        headerSelector="#top"
        toolsHide
        navigationOpen={isOpen}
        onNavigationChange={({ detail }) => setOpen(detail.open)}
        ariaLabels={{
          navigation: 'Pages',
          navigationToggle: 'Show the pages',
          navigationClose: 'Hide the pages',
        }}
        navigation={
          <SideNavigation
            activeHref={page && activeHref(page)}
            items={[...itemsOf(page)]}
            onFollow={() => {
              if (isNarrow()) setOpen(false);
            }}
          />
        }
        notifications={<ExpiredNote />}
        content={page ? <PageContent page={page} /> : <NoSuchPage />}
      />
    </>
  );
}

function Top() {
  const session = useSession();
  const { name: fullName, config } = useSignedIn();
  const name = shownText(fullName);
  const [chosen, setChosen] = useState(theme);
  const choose = (wanted: Theme) => {
    chooseTheme(wanted);
    setChosen(wanted);
  };
  const themes: readonly [Theme, string][] = [
    ['system', 'Same as the system'],
    ['light', 'Light'],
    ['dark', 'Dark'],
  ];
  return (
    <TopNavigation
      identity={{
        href: hrefOf({ page: 'overview' }),
        title: 'stowage',
        // Decorative: the title beside it says the same.
        logo: { src: mark, alt: '' },
      }}
      utilities={[
        {
          type: 'menu-dropdown',
          text: name,
          iconName: 'user-profile',
          ariaLabel: `Account of ${name}`,
          items: [
            {
              id: 'appearance',
              text: 'Appearance',
              items: themes.map(([id, text]) => ({
                id,
                text,
                itemType: 'checkbox' as const,
                checked: id === chosen,
              })),
            },
            { id: 'version', text: `Version ${config.version}`, disabled: true },
            { id: 'sign-out', text: 'Sign out' },
          ],
          onItemClick: ({ detail }) => {
            const wanted = themes.find(([id]) => id === detail.id)?.[0];
            if (wanted) choose(wanted);
            if (detail.id === 'sign-out') void session.signOut();
          },
        },
      ]}
      i18nStrings={{
        overflowMenuTriggerText: 'More',
        overflowMenuTitleText: 'All',
        overflowMenuBackIconAriaLabel: 'Back',
        overflowMenuDismissIconAriaLabel: 'Close the menu',
      }}
    />
  );
}

function NoSuchPage() {
  return (
    <Box textAlign="center" padding="xxl">
      <Box variant="h1">There is no such page</Box>
      <Link href={hrefOf({ page: 'overview' })}>Go to the overview</Link>
    </Box>
  );
}

function activeHref(page: Page): string {
  if (page.page === 'objects' || page.page === 'object') {
    return hrefOf({ page: 'objects', bucket: page.bucket, prefix: '' });
  }
  if (page.page === 'key') return hrefOf({ page: 'keys' });
  return hrefOf(page);
}

/**
 * Removes an attribute of Cloudscape's navigation bar that WAI-ARIA does not allow there. The bar
 * exists only on narrow pages.
 */
function useSoundNavigation(): void {
  useEffect(() => {
    const mend = () => {
      for (const bar of document.querySelectorAll('nav[aria-orientation]')) {
        bar.removeAttribute('aria-orientation');
      }
    };
    mend();
    const observer = new MutationObserver(mend);
    observer.observe(document.body, { subtree: true, childList: true });
    return () => observer.disconnect();
  }, []);
}

function useTitle(page: Page | undefined): void {
  const title = page ? titleOf(page) : 'No such page';
  useEffect(() => {
    document.title = `${shownText(title)} · stowage`;
  }, [title]);
}

const TITLES = {
  overview: 'Overview',
  keys: 'API keys',
  audit: 'Audit',
  buckets: 'Buckets',
  usage: 'Usage',
  reference: 'API reference',
} as const;

function titleOf(page: Page): string {
  switch (page.page) {
    case 'key':
      return `Key ${page.id}`;
    case 'objects':
      return page.bucket;
    case 'object':
      return page.key;
    case 'changes':
      return `Changes of ${page.bucket}`;
    case 'links':
      return `Links of ${page.bucket}`;
    case 'history':
      return `History of ${page.bucket}`;
    case 'settings':
      return `Settings of ${page.bucket}`;
    default:
      return TITLES[page.page];
  }
}
