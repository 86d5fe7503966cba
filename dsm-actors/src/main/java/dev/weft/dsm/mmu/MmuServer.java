package dev.weft.dsm.mmu;

import dev.weft.dsm.SharingUnit;
import dev.weft.dsm.access.PageTable;
import dev.weft.dsm.mmu.LinuxCalls.Call;
import dev.weft.dsm.node.DsmNode;
import dev.weft.dsm.wire.ObjectSpec.Kind;
import dev.weft.fabric.files.PrivateDirectory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves a node's shared memory to processes of this user, which use it by plain loads and stores. They connect to a socket in a private directory,
 * map arrays, and send the node a descriptor of their page faults. Closing the server notifies them by SIGIO, and takes their pages when they have
 * ended, or soon; later accesses raise SIGBUS.
 */
public final class MmuServer implements AutoCloseable {
  private static final long ACCEPT_AGAIN_NS = 50_000_000;
  private static final Logger LOG = LoggerFactory.getLogger(MmuServer.class);
  private static final String CLOSED = "this node does not serve applications any more";
  private static final Kind[] KINDS = Kind.values();
  private static final int BACKLOG = 64;
  private static final int PIPE_CLOSE_ON_EXEC = 0x80000;
  private static final int SET_FLAGS = 4;
  /** How often a process that says hello waits for the end of its former application, and how long each time. */
  private static final int LOOKS = 40;

  private static final long LOOK_MS = 25;
  private static final int NO_BLOCK = 0x800;

  private final DsmNode node;
  private final MmuSettings settings;
  private final Path path;
  private final int pageBytes = LinuxCalls.pageBytes();
  private final ViewManager manager;
  private final UnixSocket listener;
  private final int stop;
  /** Ends arrays, which may wait for the manager's lock. One task for each array. */
  private final ExecutorService later = Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("weft-mmu-later").factory());
  private final Map<String, MappedArray> byName = new HashMap<>();
  /** Replaced when an array is added. */
  private volatile MappedArray[] arrays = {};
  private final ServedApplication[] applications = new ServedApplication[MappedArray.APPLICATIONS_MAX];
  private final Set<MmuSession> sessions = new HashSet<>();
  private boolean closed;

  private MmuServer(DsmNode node, MmuSettings settings, Path path) {
    this.node = node;
    this.settings = settings;
    this.path = path;
    this.manager = new ViewManager(settings.framesBytes() / pageBytes, settings.holdNs());
    this.listener = UnixSocket.listen(path, BACKLOG);
    this.stop = LinuxCalls.eventFd();
  }

  /**
   * Starts to serve applications.
   *
   * @param directory directory of this user alone, for the socket; created if missing
   * @throws MmuException if this machine forbids it; the message says what is missing
   * @throws IOException if the directory is not private, or cannot be made
   */
  public static MmuServer start(DsmNode node, MmuSettings settings, Path directory) throws IOException {
    UserFault.create().close(); // Reports missing features before a process connects.
    PrivateDirectory.create(directory, "name another directory");
    Path path = directory.toAbsolutePath().resolve(MmuWire.SOCKET_NAME);
    if (Files.exists(path)) {
      requireUnused(path);
    }
    MmuServer server = new MmuServer(node, settings, path);
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
    Thread.ofPlatform().daemon().name("weft-mmu-accept").start(server::acceptAll);
    return server;
  }

  /** Removes the socket that a killed node has left; refuses the socket of a live node. */
  private static void requireUnused(Path path) throws IOException {
    try (UnixSocket other = UnixSocket.connect(path)) {
      throw new MmuException("another node serves applications at " + path + " already, by socket " + other.fd() + "; name another directory");
    } catch (MmuException nobody) {
      if (nobody.getMessage().startsWith("another")) {
        throw nobody;
      }
      Files.delete(path);
    }
  }

  /** The directory that applications connect to. */
  public Path directory() {
    return path.getParent();
  }

  /** The manager that sets protections. */
  public ViewManager manager() {
    return manager;
  }

  int pageBytes() {
    return pageBytes;
  }

  MappedArray[] arrays() {
    return arrays;
  }

  /** An array that an application has mapped; null if none has. */
  public synchronized MappedArray array(String name) {
    return byName.get(name);
  }

  /** Number of processes that are served now. */
  public synchronized int applications() {
    return (int) Arrays.stream(applications).filter(one -> one != null).count();
  }

  /** Number of page frames in views now. */
  public long frames() {
    manager.lock();
    try {
      return manager.residents.pages();
    } finally {
      manager.unlock();
    }
  }

  /** Number of minipages that have lost their frames to others. */
  public long evictions() {
    manager.lock();
    try {
      return manager.residents.evictions();
    } finally {
      manager.unlock();
    }
  }

  // Connections.

  private void acceptAll() {
    try {
      int ready = 0;
      while ((ready & 1) == 0) {
        ready = LinuxCalls.poll(0, stop, listener.fd());
        if (ready == 2) {
          acceptOne();
        }
      }
    } catch (RuntimeException failed) {
      if (!isClosed()) {
        LOG.error("further applications cannot connect to {}", path, failed);
      }
    } finally {
      listener.close();
    }
  }

  /** A connection that cannot be accepted, for example because descriptors are exhausted, does not block later ones for good. */
  private void acceptOne() {
    UnixSocket socket = null;
    try {
      socket = listener.accept();
      admit(socket);
    } catch (RuntimeException refused) {
      if (socket != null) {
        socket.close();
      }
      LOG.warn("an application could not connect to {}", path, refused);
      LockSupport.parkNanos(ACCEPT_AGAIN_NS);
    }
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private void admit(UnixSocket socket) {
    MmuSession session = new MmuSession(this, node, socket, socket.peer()[0]);
    String refusal;
    synchronized (this) {
      refusal = closed ? CLOSED
          : !isOwnUser(socket) ? "process " + socket.peer()[0] + " is of another user"
          : sessions.size() >= settings.connections() ? "there are weft.dsm.mmu.connections = " + settings.connections() + " already" : null;
      if (refusal == null) {
        sessions.add(session);
      }
    }
    if (refusal != null) {
      session.refuse(refusal);
      return;
    }
    Thread.ofPlatform().daemon().name("weft-mmu-" + session.pid()).start(session);
  }

  private boolean isOwnUser(UnixSocket socket) {
    try {
      return socket.peer()[1] == (int) Files.getAttribute(path, "unix:uid");
    } catch (IOException gone) {
      return false;
    }
  }

  synchronized void ended(MmuSession session) {
    sessions.remove(session);
    notifyAll();
  }

  /** Ends the wait of a process's request; returns false if it does not wait. */
  boolean cancel(int pid, long request) {
    return sessionsOf(pid).stream().anyMatch(session -> session.cancel(request));
  }

  private synchronized List<MmuSession> sessionsOf(int pid) {
    return sessions.stream().filter(session -> session.pid() == pid).toList();
  }

  /** The application of a process; null if the process has not said hello. */
  synchronized ServedApplication application(int pid) {
    for (ServedApplication one : applications) {
      if (one != null && one.pid == pid) {
        return one;
      }
    }
    return null;
  }

  /**
   * A process sends its page faults.
   *
   * @return the end of a pipe for the process: it tells the process when this JVM has ended
   */
  synchronized int attach(UnixSocket socket, int pid, int faults) {
    if (closed) {
      throw new IllegalStateException(CLOSED);
    }
    awaitEndOfBefore(pid);
    if (application(pid) != null) {
      throw new IllegalStateException("process " + pid + " has said hello already");
    }
    int number = 0;
    while (number < settings.applications() && applications[number] != null) {
      number++;
    }
    if (number == settings.applications()) {
      throw new IllegalStateException("this node serves weft.dsm.mmu.applications = " + settings.applications() + " processes already");
    }
    requireUserFault(faults);
    int process = socket.peerProcess();
    MemorySegment ends = LinuxCalls.argument();
    long made = LinuxCalls.call(Call.PIPE2, ends.address(), PIPE_CLOSE_ON_EXEC, 0);
    if (made < 0) {
      LinuxCalls.close(process);
    }
    LinuxCalls.require(made, "pipe");
    int theirs = ends.get(ValueLayout.JAVA_INT, 0);
    int ours = ends.get(ValueLayout.JAVA_INT, 4);
    ServedApplication application = new ServedApplication(this, node, manager, number, pid, new UserFault(faults), process, ours);
    applications[number] = application;
    Thread.ofPlatform().daemon().name("weft-mmu-faults-" + pid).start(application);
    return theirs;
  }

  /** Waits for the end of the process's former application, before it left or executed another program. This takes a moment. */
  private synchronized void awaitEndOfBefore(int pid) {
    for (int i = 0; i < LOOKS && application(pid) != null; i++) {
      if (sessionsOf(pid).stream().noneMatch(MmuSession::hasSaidHello)) {
        application(pid).leave();
      }
      try {
        wait(LOOK_MS);
      } catch (InterruptedException ends) {
        Thread.currentThread().interrupt(); // The waiting session is being ended.
        return;
      }
    }
  }

  /** The server would read messages of faults from any other file. */
  private static void requireUserFault(int file) {
    String what;
    try {
      what = Files.readSymbolicLink(Path.of("/proc/self/fd/" + file)).toString();
    } catch (IOException unknown) {
      throw new IllegalStateException("what came with hello cannot be told: " + unknown);
    }
    if (!what.equals("anon_inode:[userfaultfd]")) {
      throw new IllegalStateException("hello came with " + what + ", must be the process's userfaultfd");
    }
    LinuxCalls.require(LinuxCalls.call(Call.FCNTL, file, SET_FLAGS, NO_BLOCK), "fcntl");
  }

  /**
   * A process has ended, or has left. Its stores remain.
   *
   * @param isCutOff whether the process lives and must lose its pages
   */
  void ended(ServedApplication application, boolean isCutOff) {
    List<MmuSession> theirs;
    synchronized (this) {
      manager.lock();
      try {
        for (MappedArray array : arrays) {
          if (array.isAttached(application.number)) {
            if (isCutOff) {
              array.cutOff(application.number);
            } else {
              array.detach(application.number);
            }
          }
        }
      } finally {
        manager.unlock();
      }
      application.close();
      applications[application.number] = null;
      notifyAll();
      theirs = sessionsOf(application.pid).stream().filter(MmuSession::isOfApplication).toList();
    }
    theirs.forEach(MmuSession::end);
  }

  // Arrays.

  /**
   * The array with this name; makes it if there is none.
   *
   * @param strideBytes bytes of a minipage, a multiple of 8
   */
  MappedArray map(int kind, String name, long length, long strideBytes) {
    if (kind < 0 || kind >= KINDS.length || !KINDS[kind].isArray()) {
      throw new IllegalArgumentException("kind " + kind + ", must be 0 for longs, 1 for doubles, 2 for ints or 3 for bytes");
    }
    SharingUnit unit = SharingUnit.bytes(strideBytes);
    if (strideBytes > settings.framesBytes() / pageBytes * pageBytes) { // Checked before an array of that shape exists.
      throw new IllegalArgumentException("a minipage of " + strideBytes + " bytes, must fit into weft.dsm.mmu.frames = " + settings.framesBytes());
    }
    PageTable table = node.map(KINDS[kind], name, length, unit);
    synchronized (this) {
      MappedArray there = byName.get(name);
      if (there == null || there.table() != table) {
        there = new MappedArray(manager, table, node.frames(), pageBytes, this::runLater);
        try {
          table.use(there);
        } catch (IllegalStateException refused) {
          there.end(refused.getMessage());
          throw refused;
        }
        byName.put(name, there);
        arrays = Stream.concat(Arrays.stream(arrays).filter(array -> !array.hasEnded()), Stream.of(there)).toArray(MappedArray[]::new);
      }
      return there;
    }
  }

  MappedArray array(long id) {
    for (MappedArray array : arrays) {
      if (array.id() == id) {
        return array;
      }
    }
    throw new IllegalStateException("array " + id + " was not mapped, or is freed");
  }

  /**
   * An application has mapped the array at an address and registered that for faults. Under the monitor that the application's end takes, too,
   * because it may end meanwhile.
   */
  synchronized void serve(ServedApplication application, long id, long address) {
    MappedArray array = array(id);
    if (applications[application.number] != application) {
      throw new IllegalStateException("process " + application.pid + " is served no more");
    }
    long bytes = array.layout().viewBytes();
    if (address <= 0 || address % pageBytes != 0 || address > Long.MAX_VALUE - bytes) {
      throw new IllegalArgumentException("a view at " + Long.toHexString(address) + ", must be at a page of " + pageBytes + " bytes");
    }
    manager.lock();
    try {
      if (array.isAttachedAt(application.number, address)) {
        return; // The process repeats the request, because an exception kept it from seeing the reply.
      }
      if (array.isAttached(application.number)) {
        throw new IllegalStateException("process " + application.pid + " has mapped \"" + array.table().spec().name() + "\" already");
      }
      for (MappedArray other : arrays) {
        if (other.overlaps(application.number, address, bytes)) {
          if (!other.isOver()) {
            throw new IllegalStateException("process " + application.pid + " has mapped \"" + other.table().spec().name() + "\" there already");
          }
          other.detach(application.number); // It was freed, and its view is unmapped.
        }
      }
      array.attach(application.number, address, application.faults());
    } finally {
      manager.unlock();
    }
  }

  private void runLater(Runnable task) {
    try {
      later.execute(task);
    } catch (RejectedExecutionException closedAlready) {
      task.run();
    }
  }

  /** Tells applications that the server ends, and waits for their end for a short time, in which they are still served. */
  private synchronized void sayFarewell() {
    Arrays.stream(applications).filter(Objects::nonNull).forEach(ServedApplication::tellOfTheEnd);
    long endNs = System.nanoTime() + settings.farewellNs();
    long leftNs = settings.farewellNs();
    try {
      while (applications() > 0 && leftNs > 0) {
        TimeUnit.NANOSECONDS.timedWait(this, leftNs);
        leftNs = endNs - System.nanoTime();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // The thread that closes this must not wait.
    }
  }

  /**
   * Stops serving. Applications get SIGIO; those that live {@code weft.dsm.mmu.farewell} later get SIGBUS when they touch an array. Call it before
   * the node is closed; if it is called later, they get SIGBUS at once. Idempotent.
   */
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    LinuxCalls.signal(stop);
    sayFarewell();
    List<MmuSession> all;
    synchronized (this) {
      all = List.copyOf(sessions);
    }
    all.forEach(MmuSession::end);
    for (MappedArray array : arrays) {
      array.end(CLOSED);
    }
    later.shutdown();
    try {
      Files.deleteIfExists(path);
    } catch (IOException left) {
      LOG.warn("{} is left: {}", path, left.getMessage());
    }
  }
}
