/** The entry of the page. */
import '@cloudscape-design/global-styles/index.css';
import { I18nProvider } from '@cloudscape-design/components/i18n';
import messages from '@cloudscape-design/components/i18n/messages/all.en';
import { UserManager } from 'oidc-client-ts';
import { createRoot } from 'react-dom/client';
import { SERVICE_ROOT } from './api/service-root';
import { App } from './app';
import { JobQueue } from './jobs/job-queue';
import { JobQueueContext } from './jobs/job-queue-context';
import './page.css';
// The build makes it from brand.ts. It overrides the styles of the components, so it comes last.
import './brand.css';
import { Session } from './session/session';
import { SessionProvider } from './session/session-context';
import { startTheme } from './theme';
import { UploadQueue } from './upload/queue';
import { UploadQueueContext } from './upload/upload-queue-context';

/**
 * The window of a renewed sign-in returns to the same address and passes the result to the page
 * that opened it: only that page knows the `state` of the request.
 */
function isSignInWindow(): boolean {
  const state = new URLSearchParams(window.location.search).get('state');
  return state !== null && sessionStorage.getItem(`oidc.${state}`) === null;
}

async function finishSignInWindow(): Promise<void> {
  const { origin } = window.location;
  const manager = new UserManager({ authority: origin, client_id: '-', redirect_uri: origin });
  // The opener policy separates the two windows, so that this one cannot find out whether the other
  // still waits for the message.
  await manager.signinPopupCallback().catch(() => undefined);
  // Visible where the browser does not let a script close the window, and when the address is
  // opened again.
  const link = document.createElement('a');
  link.href = SERVICE_ROOT;
  link.textContent = 'Open the dashboard';
  const main = document.createElement('main');
  main.className = 'centered';
  const text = document.createElement('p');
  text.append(
    'The sign-in continues in the window in which it was started. This window can be closed. ',
    link,
  );
  main.append(text);
  document.body.replaceChildren(main);
}

function start(): void {
  startTheme();
  if (isSignInWindow()) {
    void finishSignInWindow();
    return;
  }
  const root = document.getElementById('root');
  if (!root) throw new Error('index.html has no element "root"');
  const session = new Session(SERVICE_ROOT);
  const uploads = new UploadQueue(session.client);
  const jobs = new JobQueue(session.client);
  session.beforeSignOut(async () => {
    jobs.clear();
    await uploads.clear();
  });
  void session.start();
  createRoot(root).render(
    <I18nProvider locale="en" messages={[messages]}>
      <SessionProvider session={session}>
        <UploadQueueContext value={uploads}>
          <JobQueueContext value={jobs}>
            <App />
          </JobQueueContext>
        </UploadQueueContext>
      </SessionProvider>
    </I18nProvider>,
  );
}

start();
