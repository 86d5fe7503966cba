package dev.weft.tripwire.file;

import com.typesafe.config.Config;
import dev.weft.tripwire.connect.Caller;
import dev.weft.tripwire.message.RpcClient;
import dev.weft.tripwire.nic.Endpoint;
import dev.weft.tripwire.nic.LocalAperture;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.RemoteAperture;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Status;
import dev.weft.tripwire.nic.Tripwire;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A client of a {@link FileServer}. Calls wait for their reply, one at a time; any thread but the hardware thread. A session that was unused for half
 * a lease is tested first, and replaced if the server has ended it. A call that may have been carried out is never repeated.
 */
public final class FileClient implements AutoCloseable {
  private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Nic nic;
  private final FileSettings settings;
  private final String serverNode;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment request = arena.allocate(FileRequest.MAX_BYTES, 8);
  private Session session;
  private volatile int transferMaxBytes;
  private boolean closed;

  /** A file that was found or created. */
  public record Found(FileHandle handle, FileAttributes attributes) {}

  /**
   * The result of a write.
   *
   * @param verifier compare it with that of {@link #commit}: if they differ, the server has restarted, and the bytes may be lost
   */
  public record Written(int count, long verifier) {}

  /** An entry of a directory. */
  public record Entry(String name, boolean isDirectory, boolean isFile) {}

  /** Entries of a directory in the order of their names, and whether these are the last. */
  public record Page(List<Entry> entries, boolean isLast) {}

  /** The objects of one connection. */
  private final class Session implements AutoCloseable {
    final Arena memory = Arena.ofShared();
    final MemorySegment incoming = memory.allocate(settings.transferMaxBytes(), 64);
    final LocalAperture aperture = nic.export(incoming);
    final RpcClient rpc = new RpcClient(nic, FileReply.BYTES);
    /** A second mapping of the server's end of the calls; it fails when the server has ended the session. */
    RemoteAperture watch;
    RemoteAperture data;
    FileHandle root;
    long leaseNs;
    long lastUseNs;

    void connect(Greeting.Server server) {
      rpc.connect(server.calls());
      watch = nic.map(server.calls());
      data = nic.map(server.data());
      root = server.root();
      leaseNs = server.leaseNs();
      transferMaxBytes = (int) Math.min(settings.transferMaxBytes(), data.length());
      lastUseNs = nowNs();
    }

    Status status() {
      return watch.status() != Status.OK ? watch.status() : data.status();
    }

    @Override
    public void close() {
      rpc.close();
      aperture.revoke();
      if (watch != null) {
        watch.unmap();
        data.unmap();
      }
      memory.close();
    }
  }

  private FileClient(Nic nic, FileSettings settings, String serverNode) {
    this.nic = nic;
    this.settings = settings;
    this.serverNode = serverNode;
  }

  /**
   * Connects to the server of another host.
   *
   * @param config contains {@code weft.tripwire.file}
   * @throws FileException DISCONNECTED if there is no server, BUSY if the server has too many clients, TIMED_OUT
   */
  public static FileClient connect(Nic nic, String serverNode, Config config) throws FileException {
    FileClient client = new FileClient(nic, FileSettings.from(config), serverNode);
    try {
      client.open();
      return client;
    } catch (FileException refused) {
      client.close();
      throw refused;
    }
  }

  private long nowNs() {
    return nic.node().context().clock().nowNs();
  }

  // Connecting.

  private void open() throws FileException {
    int lid = nic.lidOf(serverNode);
    if (lid == 0) {
      throw new FileException(FileStatus.DISCONNECTED, "there is no CLAN NIC at " + serverNode);
    }
    Session made = new Session();
    Endpoint endpoint = nic.endpoint(0);
    byte[] block = new Greeting.Client(made.rpc.descriptor(), made.aperture.descriptor(Rights.WRITE)).toBytes();
    try (Caller caller = new Caller(nic, endpoint, lid, settings.port(), block)) {
      greet(caller, endpoint);
      made.connect(Greeting.Server.of(caller.answer()));
      session = made;
    } catch (NicException bad) {
      throw new FileException(FileStatus.DISCONNECTED, bad.getMessage());
    } finally {
      if (session != made) {
        made.close();
      }
      endpoint.close();
    }
  }

  private void greet(Caller caller, Endpoint endpoint) throws FileException {
    long deadlineNs = nowNs() + settings.callTimeoutNs();
    while (true) {
      Endpoint.Message refusal = endpoint.poll();
      if (refusal != null && refusal.status() != Status.OK) {
        caller.refused(refusal.status());
      }
      switch (caller.step()) {
        case ACCEPTED -> {
          return;
        }
        case REJECTED -> throw new FileException(FileStatus.BUSY, "the file server of " + serverNode + " has as many clients as it may");
        case FAILED -> throw new FileException(FileStatus.DISCONNECTED, "no file server at " + serverNode + ": " + caller.failure());
        case CALLING, WAITING -> {
          if (nowNs() > deadlineNs) {
            throw new FileException(FileStatus.TIMED_OUT, "the file server of " + serverNode + " does not answer");
          }
          caller.ready().await(settings.spinNs(), LOOK_NS / 100); // A refusal does not fire the Tripwire.
        }
      }
    }
  }

  // Calling.

  private FileReply call(FileRequest what, MemorySegment source, long sourceOffset) throws FileException {
    freshen();
    FileReply reply = exchange(what, source, sourceOffset);
    if (reply.status() != FileStatus.OK) {
      throw new FileException(reply.status(), what.operation() + " " + what.name() + " at " + serverNode + ": " + reply.status());
    }
    return reply;
  }

  /** Makes sure that there is a usable session. */
  private void freshen() throws FileException {
    if (closed) {
      throw new FileException(FileStatus.DISCONNECTED, "the client is closed");
    }
    if (session != null && nowNs() - session.lastUseNs > session.leaseNs / 2) {
      try {
        exchange(new FileRequest(FileRequest.Operation.PING, FileHandle.NONE), null, 0);
      } catch (FileException ended) {
        drop(); // A new session is opened below.
      }
    }
    if (session == null) {
      open();
    }
  }

  private FileReply exchange(FileRequest what, MemorySegment source, long sourceOffset) throws FileException {
    byte[] bytes = what.toBytes();
    try {
      if (source != null && what.count() > 0) {
        session.data.write(0, source, sourceOffset, what.count());
      }
      MemorySegment.copy(bytes, 0, request, ValueLayout.JAVA_BYTE, 0, bytes.length);
      if (!session.rpc.tryCall(request, 0, bytes.length)) {
        throw new FileException(FileStatus.DISCONNECTED, "the session has a call outstanding");
      }
      FileReply reply = FileReply.of(await().toArray(ValueLayout.JAVA_BYTE));
      session.lastUseNs = nowNs();
      return reply;
    } catch (NicException failed) {
      drop();
      throw new FileException(FileStatus.DISCONNECTED, "the connection to " + serverNode + " failed: " + failed.getMessage());
    }
  }

  private MemorySegment await() throws FileException {
    long deadlineNs = nowNs() + settings.callTimeoutNs();
    Tripwire ready = session.rpc.ready();
    while (true) {
      ready.arm();
      MemorySegment reply = session.rpc.reply();
      if (reply != null) {
        ready.disarm();
        ready.take();
        return reply;
      }
      if (!ready.await(settings.spinNs(), LOOK_NS)) {
        giveUpIfOver(deadlineNs);
      }
    }
  }

  private void giveUpIfOver(long deadlineNs) throws FileException {
    boolean interrupted = Thread.currentThread().isInterrupted();
    Status status = session.status();
    if (status != Status.OK || interrupted || nowNs() > deadlineNs) {
      drop(); // Later writes of the server are dropped.
      throw status != Status.OK ? new FileException(FileStatus.DISCONNECTED, "the connection to " + serverNode + " ended: " + status)
          : new FileException(FileStatus.TIMED_OUT, "no reply of " + serverNode + (interrupted ? ": interrupted" : " in time"));
    }
  }

  private void drop() {
    if (session != null) {
      session.close();
      session = null;
    }
  }

  // Files.

  /** The exported directory. */
  public synchronized FileHandle root() throws FileException {
    freshen();
    return session.root;
  }

  /** Maximum bytes of one read or write. */
  public int transferMaxBytes() {
    return transferMaxBytes;
  }

  public synchronized Found lookup(FileHandle directory, String name) throws FileException {
    FileReply reply = call(new FileRequest(FileRequest.Operation.LOOKUP, directory, name), null, 0);
    return new Found(reply.handle(), reply.attributes());
  }

  public synchronized FileAttributes getattr(FileHandle file) throws FileException {
    return call(new FileRequest(FileRequest.Operation.GETATTR, file), null, 0).attributes();
  }

  /** Reads up to {@code count} bytes into {@code target}; returns their number, which is lower only at the end of the file. */
  public synchronized int read(FileHandle file, long offset, MemorySegment target, int count) throws FileException {
    checkTransfer(target, 0, count);
    FileReply reply = call(new FileRequest(FileRequest.Operation.READ, file, offset, count, ""), null, 0);
    int got = checkCount(reply, count);
    MemorySegment.copy(session.incoming, 0, target, 0, got);
    return got;
  }

  /** Writes bytes; {@link #commit} makes them durable. */
  public synchronized Written write(FileHandle file, long offset, MemorySegment source, long sourceOffset, int count) throws FileException {
    checkTransfer(source, sourceOffset, count);
    FileReply reply = call(new FileRequest(FileRequest.Operation.WRITE, file, offset, count, ""), source, sourceOffset);
    return new Written(checkCount(reply, count), reply.verifier());
  }

  /** Creates an empty file. */
  public synchronized Found create(FileHandle directory, String name) throws FileException {
    FileReply reply = call(new FileRequest(FileRequest.Operation.CREATE, directory, name), null, 0);
    return new Found(reply.handle(), reply.attributes());
  }

  /** Removes a file or an empty directory. */
  public synchronized void remove(FileHandle directory, String name) throws FileException {
    call(new FileRequest(FileRequest.Operation.REMOVE, directory, name), null, 0);
  }

  /** Makes written data survive a crash of the server; returns the server's verifier. */
  public synchronized long commit(FileHandle file) throws FileException {
    return call(new FileRequest(FileRequest.Operation.COMMIT, file), null, 0).verifier();
  }

  /** Entries of a directory after the name {@code after}, "" for the first ones. */
  public synchronized Page readdir(FileHandle directory, String after) throws FileException {
    FileReply reply = call(new FileRequest(FileRequest.Operation.READDIR, directory, 0, transferMaxBytes, after), null, 0);
    byte[] bytes = session.incoming.asSlice(0, checkCount(reply, transferMaxBytes)).toArray(ValueLayout.JAVA_BYTE);
    List<Entry> entries = new ArrayList<>();
    ByteBuffer b = ByteBuffer.wrap(bytes);
    while (b.remaining() >= 3) {
      byte kind = b.get();
      int length = b.getShort() & 0xffff;
      if (length > b.remaining()) {
        throw new FileException(FileStatus.IO, "the directory that " + serverNode + " sent is damaged");
      }
      entries.add(new Entry(new String(bytes, b.position(), length, StandardCharsets.UTF_8), kind == 1, kind == 2));
      b.position(b.position() + length);
    }
    return new Page(entries, reply.isLast());
  }

  private void checkTransfer(MemorySegment memory, long offset, int count) throws FileException {
    if (count < 0 || count > transferMaxBytes || offset < 0 || offset > memory.byteSize() - count) {
      throw new FileException(FileStatus.INVALID, count + " bytes at " + offset + " of memory of " + memory.byteSize() + ", at most "
          + transferMaxBytes + " at a time");
    }
  }

  private int checkCount(FileReply reply, int limit) throws FileException {
    if (reply.count() < 0 || reply.count() > limit) {
      throw new FileException(FileStatus.IO, serverNode + " says that it moved " + reply.count() + " bytes of " + limit);
    }
    return reply.count();
  }

  /** Ends the session; the server is notified, or finds out. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (session != null) {
      leave();
      drop();
    }
    arena.close();
  }

  private void leave() {
    try {
      byte[] bytes = new FileRequest(FileRequest.Operation.LEAVE, FileHandle.NONE).toBytes();
      MemorySegment.copy(bytes, 0, request, ValueLayout.JAVA_BYTE, 0, bytes.length);
      session.rpc.tryCall(request, 0, bytes.length);
    } catch (FileException | NicException gone) {
      session.lastUseNs = 0; // The server has ended the session already, or its lease will end it.
    }
  }

  /** For tests: ends without notice, as a killed process does. */
  synchronized void abandon() {
    closed = true;
    drop();
    arena.close();
  }
}
