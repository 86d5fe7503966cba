package dev.weft.pager.nbd;

import dev.weft.fabric.time.Clock;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves block devices to NBD clients. Each address has a thread that accepts connections, and each connection has a thread that serves it.
 * Any thread may call the methods; {@link #close} waits.
 */
public final class NbdServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NbdServer.class);
  private static final String ADD_OPENS = "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED";

  private final NbdSettings settings;
  private final NbdTls tls;
  /** The exports in the order in which they were added; copied on change, so connections read it without a lock. */
  private volatile Map<String, NbdExport> exports = Map.of();
  private final Clock clock;
  private final ThreadFactory clientThreads;
  private final List<ServerSocketChannel> servers = new ArrayList<>();
  private final List<SocketAddress> addresses = new ArrayList<>();
  private final List<Path> socketFiles = new ArrayList<>();
  private final Map<NbdConnection, Thread> connections = new ConcurrentHashMap<>();
  private final AtomicInteger places = new AtomicInteger();
  private final AtomicLong refused = new AtomicLong();
  private volatile boolean stopping;

  private NbdServer(NbdSettings settings, NbdTls tls, Collection<NbdExport> exports, Clock clock, ThreadFactory clientThreads) {
    this.settings = settings;
    this.tls = tls;
    this.clientThreads = clientThreads;
    this.clock = clock;
    exports.forEach(this::addExport);
  }

  /**
   * Adds an export; later connections see it.
   *
   * @throws IllegalArgumentException if an export of that name exists
   */
  public synchronized void addExport(NbdExport export) {
    Map<String, NbdExport> more = new LinkedHashMap<>(exports);
    if (more.putIfAbsent(export.name(), export) != null) {
      throw new IllegalArgumentException("two exports are called '" + export.name() + "'; names must differ");
    }
    exports = Collections.unmodifiableMap(more);
  }

  /** Removes an export. Connections that already use it continue and see the errors of its device. */
  public synchronized void removeExport(String name) {
    Map<String, NbdExport> fewer = new LinkedHashMap<>(exports);
    fewer.remove(name);
    exports = Collections.unmodifiableMap(fewer);
  }

  /**
   * Binds every address of {@code settings} and serves {@code exports}.
   *
   * @param clock real time
   * @throws IOException if an address cannot be bound or a certificate cannot be used; nothing is left bound
   * @throws IllegalArgumentException if an address is malformed or not allowed, or two exports have one name
   * @throws IllegalStateException if the JVM was started without {@value #ADD_OPENS}
   */
  public static NbdServer start(NbdSettings settings, Collection<NbdExport> exports, Clock clock) throws IOException {
    return start(settings, exports, clock, Thread.ofPlatform().name("nbd-client").daemon().factory());
  }

  /**
   * Checks the addresses like {@link #start}, as far as possible without binding them.
   *
   * @throws IOException if this host has no such name or directory
   * @throws IllegalArgumentException if an address is malformed or not allowed
   */
  public static void checkAddresses(NbdSettings settings) throws IOException {
    for (String address : settings.listen()) {
      NbdAddress.check(address, settings);
    }
  }

  static NbdServer start(NbdSettings settings, Collection<NbdExport> exports, Clock clock, ThreadFactory clientThreads)
      throws IOException {
    checkQueues();
    NbdServer server = new NbdServer(settings, NbdTls.of(settings), exports, clock, clientThreads);
    try {
      for (String address : settings.listen()) {
        server.bind(address);
      }
    } catch (IOException | RuntimeException e) {
      server.close();
      throw e;
    }
    for (int i = 0; i < server.servers.size(); i++) {
      ServerSocketChannel channel = server.servers.get(i);
      Thread.ofPlatform().name("nbd-accept-" + i).daemon().start(() -> server.accept(channel));
    }
    return server;
  }

  /** Checks that the queue of a connection can be created. Otherwise that would fail later, on the accept thread, while the client waits. */
  private static void checkQueues() {
    try {
      ManyToOneConcurrentArrayQueue<String> queue = new ManyToOneConcurrentArrayQueue<>(2);
      queue.offer("probe");
      queue.poll();
    } catch (LinkageError e) {
      throw new IllegalStateException("the NBD server cannot use its queues (" + e + "); start the JVM with " + ADD_OPENS, e);
    }
  }

  /** Returns the NBD URI of the default export for each address, in the order of the settings. */
  public List<String> uris() {
    return uris("");
  }

  /** Returns the NBD URI of the named export for each address, in the order of the settings. */
  public List<String> uris(String export) {
    return addresses.stream().map(address -> NbdAddress.uri(address, tls.isRequired(), export)).toList();
  }

  /** The number of connected clients. */
  public int connectionCount() {
    return connections.size();
  }

  /** The number of clients rejected because {@code connections-max} was reached. */
  public long refusedCount() {
    return refused.get();
  }

  private void bind(String address) throws IOException {
    NbdAddress.Bound bound = NbdAddress.bind(address, settings);
    servers.add(bound.channel());
    addresses.add(bound.address());
    if (bound.address() instanceof UnixDomainSocketAddress unix) {
      socketFiles.add(unix.getPath());
    }
  }

  private void accept(ServerSocketChannel server) {
    try (server) {
      while (!stopping) {
        try {
          admit(server.accept());
        } catch (ClosedChannelException e) {
          return;
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
          LOG.warn("cannot accept an NBD connection: {}", e.toString());
          pause();
        }
      }
    } catch (IOException e) {
      LOG.warn("closing an NBD address: {}", e.getMessage());
    } catch (Error e) {
      LOG.error("an NBD address is closed because accepting failed for good", e);
    }
  }

  /** Pauses after a failed accept. The process probably lacks file descriptors, threads or memory, so an immediate retry would only use the processor. */
  private static void pause() {
    java.util.concurrent.locks.LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
  }

  private void admit(SocketChannel channel) throws IOException {
    if (places.incrementAndGet() > settings.connectionsMax()) {
      places.decrementAndGet();
      refused.incrementAndGet();
      channel.close();
      return;
    }
    NbdConnection connection = null;
    boolean started = false;
    try {
      tune(channel);
      connection = new NbdConnection(channel, settings, tls, exports, clock, () -> stopping, this::ended);
      Thread thread = clientThreads.newThread(connection);
      connections.put(connection, thread);
      thread.start();
      started = true;
    } finally {
      if (!started && connection != null) {
        connection.close();
      } else if (!started) {
        places.decrementAndGet();
        channel.close();
      }
    }
    if (stopping) {
      connection.stopping();
    }
  }

  private void tune(SocketChannel channel) throws IOException {
    if (!(channel.getLocalAddress() instanceof UnixDomainSocketAddress)) {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    } else if (settings.socketBufferBytes() > 0) {
      channel.setOption(StandardSocketOptions.SO_SNDBUF, settings.socketBufferBytes());
      channel.setOption(StandardSocketOptions.SO_RCVBUF, settings.socketBufferBytes());
    }
  }

  private void ended(NbdConnection connection) {
    places.decrementAndGet();
    connections.remove(connection); // After its place is free, so that a caller that sees no connections finds room.
  }

  /**
   * Stops accepting connections. Requests in flight finish and their replies are sent; later requests fail with ESHUTDOWN. Then the connections
   * close. After {@code shutdown-timeout}, the remaining connections close without replies.
   */
  @Override
  public void close() {
    stopping = true;
    for (ServerSocketChannel server : servers) {
      try {
        server.close();
      } catch (IOException e) {
        LOG.warn("closing an NBD address: {}", e.getMessage());
      }
    }
    connections.keySet().forEach(NbdConnection::stopping);
    join(clock.nowNs() + settings.shutdownTimeoutNs());
    connections.keySet().forEach(NbdConnection::abort);
    join(clock.nowNs() + TimeUnit.SECONDS.toNanos(1));
    for (Path file : socketFiles) {
      try {
        Files.deleteIfExists(file);
      } catch (IOException e) {
        LOG.warn("cannot remove {}: {}", file, e.getMessage());
      }
    }
  }

  private void join(long deadlineNs) {
    for (Thread thread : connections.values()) {
      long remainingMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - clock.nowNs());
      try {
        if (remainingMs > 0) {
          thread.join(remainingMs);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
