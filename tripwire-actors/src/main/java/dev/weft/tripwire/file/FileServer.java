package dev.weft.tripwire.file;

import com.typesafe.config.Config;
import dev.weft.tripwire.connect.Callee;
import dev.weft.tripwire.nic.Endpoint;
import dev.weft.tripwire.nic.EventQueue;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.NicException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exports a directory to clients of a CLAN. One thread serves all clients from one event queue, like the server of CLAN, section 5.3; while it waits
 * for a disk, all clients wait.
 */
public final class FileServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FileServer.class);
  private static final long END_MAX_MS = 20_000;
  /** How often the server checks clients whose NIC has not answered yet. */
  private static final long UNHEARD_NS = 2_000_000;
  private static final int REASON_BUSY = 1;

  private final Nic nic;
  private final FileSettings settings;
  private final FileService service;
  private final Endpoint endpoint;
  private final EventQueue events;
  private final List<FileSession> sessions = new ArrayList<>();
  private final Thread thread;
  private volatile int sessionCount;
  private volatile boolean ended;

  private FileServer(Nic nic, FileSettings settings, Path directory) throws IOException {
    this.nic = nic;
    this.settings = settings;
    service = new FileService(new ExportedRoot(directory), nic.node().context().random().nextLong(), settings.handlesMax());
    endpoint = nic.endpoint(settings.port());
    events = nic.eventQueue();
    events.register(endpoint);
    thread = Thread.ofPlatform().daemon(true).name("file-server-" + nic.node().name()).start(this::run);
  }

  /**
   * Serves a directory until it is closed.
   *
   * @param config contains {@code weft.tripwire.file}
   * @throws IOException if it is not a directory
   * @throws NicException INVALID if the port is in use
   */
  public static FileServer start(Nic nic, Config config, Path directory) throws IOException {
    return new FileServer(nic, FileSettings.from(config), directory);
  }

  private void run() {
    try {
      long checkNs = Math.min(settings.leaseNs() / 4, TimeUnit.MILLISECONDS.toNanos(100));
      while (!ended) {
        boolean isHeard = sessions.stream().noneMatch(FileSession::isUnheard);
        events.await(settings.spinNs(), isHeard ? checkNs : Math.min(checkNs, UNHEARD_NS));
        step(nic.node().context().clock().nowNs());
      }
    } catch (RuntimeException failed) {
      LOG.error("the file server of {} has ended", nic.node().name(), failed);
    } finally {
      sessions.forEach(FileSession::close);
      endpoint.close();
      events.close();
    }
  }

  private void step(long nowNs) {
    while (events.poll()) {
      continue; // An event only shows that something happened; each session checks for itself.
    }
    for (Endpoint.Message message = endpoint.poll(); message != null; message = endpoint.poll()) {
      if (Callee.isCall(message)) {
        greet(message, nowNs);
      }
    }
    for (FileSession session : sessions) {
      session.step(nowNs);
      session.check(nowNs);
    }
    sessions.removeIf(FileSession::isOver);
    sessionCount = sessions.size();
  }

  private void greet(Endpoint.Message call, long nowNs) {
    try {
      Callee callee = Callee.of(nic, call);
      if (sessions.size() == settings.sessionsMax()) {
        callee.reject(REASON_BUSY);
        callee.close();
      } else {
        sessions.add(new FileSession(nic, settings, service, events, callee, nowNs));
      }
    } catch (NicException refused) {
      LOG.warn("refused a file client at LID {}: {}", call.fromLid(), refused.getMessage());
    }
  }

  /** Number of clients now. */
  public int sessions() {
    return sessionCount;
  }

  /** Ends all sessions. */
  @Override
  public void close() {
    ended = true;
    try {
      thread.join(END_MAX_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
