import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Programs that suites need beside Node, the Debian packages that bring them, and what is proved with them. */
const programs = [
  {
    program: 'chromium',
    packages: ['chromium'],
    suites: 'hls.js and Shaka in a browser, the demo page',
  },
  {
    program: 'ffmpeg',
    packages: ['ffmpeg', 'fonts-dejavu-core'],
    suites: 'ffmpeg as a player and as the source of the browser players',
  },
  { program: 'ffprobe', packages: ['ffmpeg'], suites: 'what ffprobe finds in segments' },
  {
    program: 'promtool',
    packages: ['prometheus'],
    suites: 'alert rules and names of metrics, as promtool judges them',
  },
  { program: 'cvlc', packages: ['vlc-bin', 'vlc-plugin-base'], suites: 'VLC as a player' },
  { program: 'mpv', packages: ['mpv'], suites: 'mpv as a player' },
  {
    program: 'gst-launch-1.0',
    packages: [
      ...['gstreamer1.0-tools', 'gstreamer1.0-plugins-base'],
      ...['gstreamer1.0-plugins-good', 'gstreamer1.0-plugins-bad'],
    ],
    suites: 'GStreamer as a packager and as a reader of segments',
  },
  {
    program: 'openssl',
    packages: ['openssl'],
    suites: 'listeners with certificates, understudy check, proxies in front',
  },
  { program: 'nginx', packages: ['nginx'], suites: 'nginx in front of an agent' },
  { program: 'haproxy', packages: ['haproxy'], suites: 'HAProxy in front of an agent' },
  { program: 'keepalived', packages: ['keepalived'], suites: 'the file for keepalived' },
  { program: 'systemd-analyze', packages: ['systemd'], suites: 'the unit for systemd' },
  { program: 'ip', packages: ['iproute2'], suites: 'nodes whose packets vanish' },
  {
    program: 'prometheus-alertmanager',
    packages: ['prometheus-alertmanager'],
    suites: 'alerts delivered to a real Alertmanager',
  },
];

const aptMsMax = 8 * 60_000;

/**
 * Installs the Debian packages of missing programs where this is root on Debian, and returns the
 * programs that are still missing, with the reason. Never throws: what cannot be had is skipped by name.
 */
export function bringPrograms() {
  const absent = programs.filter(({ program }) => !isInstalled(program));
  if (absent.length === 0) return [];
  const why = whyNoPackages() ?? install([...new Set(absent.flatMap(({ packages }) => packages))]);
  return absent
    .filter(({ program }) => !isInstalled(program))
    .map(({ program, suites }) => ({ program, suites, why }));
}

function whyNoPackages() {
  if (!existsSync('/etc/debian_version')) return 'not Debian';
  if (process.getuid?.() !== 0) return 'not root';
  return undefined;
}

function install(packages) {
  console.error(`installing Debian packages: ${packages.join(' ')} ...`);
  const isUpdated = apt(['update']);
  const isInstalledNow = apt(['install', '--yes', '--no-install-recommends', ...packages]);
  return isUpdated && isInstalledNow ? 'apt-get did not bring it' : 'apt-get failed';
}

function apt(args) {
  const { status } = spawnSync('apt-get', ['-qq', '-o', 'Acquire::Retries=3', ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    timeout: aptMsMax,
  });
  return status === 0;
}

function isInstalled(program) {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
}
