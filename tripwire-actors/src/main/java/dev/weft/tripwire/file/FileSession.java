package dev.weft.tripwire.file;

import dev.weft.tripwire.connect.Callee;
import dev.weft.tripwire.message.RpcServer;
import dev.weft.tripwire.nic.Endpoint;
import dev.weft.tripwire.nic.EventQueue;
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
import java.util.function.Consumer;

/** One client of a server: set up first, then served call by call. Runs on the server's thread. */
final class FileSession implements AutoCloseable {
  private enum State { GREETING, IDLE, SENDING, OVER }

  private final Nic nic;
  private final FileSettings settings;
  private final FileService service;
  private final EventQueue events;
  private final Callee callee;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment reply = arena.allocate(FileReply.BYTES, 8);
  private MemorySegment incoming;
  private MemorySegment outgoing;
  private LocalAperture aperture;
  private Endpoint endpoint;
  private RpcServer rpc;
  private RemoteAperture data;
  private State state = State.GREETING;
  /** Whether the client's NIC had answered at the last check. */
  private boolean heard;
  private FileReply pending;
  private long sentMax;
  private long lastUseNs;

  FileSession(Nic nic, FileSettings settings, FileService service, EventQueue events, Callee callee, long nowNs) {
    this.nic = nic;
    this.settings = settings;
    this.service = service;
    this.events = events;
    this.callee = callee;
    lastUseNs = nowNs;
    events.register(callee.ready());
  }

  boolean isOver() {
    return state == State.OVER;
  }

  /** Continues as far as possible. */
  void step(long nowNs) {
    try {
      boolean goesOn = true;
      while (goesOn) {
        goesOn = switch (state) {
          case GREETING -> greet(nowNs);
          case IDLE -> serve(nowNs);
          case SENDING -> sent();
          case OVER -> false;
        };
      }
    } catch (NicException | IndexOutOfBoundsException broken) {
      close(); // The client is gone, or has sent an invalid request.
    }
  }

  /** Whether the server must check it again soon, because no event will come. */
  boolean isUnheard() {
    return state == State.GREETING && !(callee.hasSaidHello() && heard);
  }

  private boolean greet(long nowNs) {
    byte[] request = callee.request();
    heard = nic.hasAnswered(callee.lid());
    if (request == null || !heard) { // Mapping must not wait, or one client could block all.
      return false;
    }
    Greeting.Client client = Greeting.Client.of(request);
    callee.check(client.calls());
    callee.check(client.data());
    incoming = arena.allocate(settings.transferMaxBytes(), 64);
    outgoing = arena.allocate(settings.transferMaxBytes(), 64);
    aperture = nic.export(incoming);
    endpoint = nic.endpoint(0);
    rpc = new RpcServer(nic, FileRequest.MAX_BYTES);
    rpc.connect(nic.mapNow(client.calls()));
    data = nic.mapNow(client.data());
    events.register(rpc.ready());
    events.register(endpoint.dma());
    sentMax = endpoint.dma().done(); // The endpoint may have had another owner.
    rpc.ready().arm();
    callee.accept(new Greeting.Server(rpc.descriptor(), aperture.descriptor(Rights.WRITE), settings.leaseNs(), service.rootHandle())
        .toBytes());
    lastUseNs = nowNs;
    state = State.IDLE;
    return true;
  }

  private boolean serve(long nowNs) throws NicException {
    Tripwire ready = rpc.ready();
    if (ready.take()) {
      ready.arm();
    }
    MemorySegment bytes = rpc.request();
    if (bytes == null) {
      return false;
    }
    lastUseNs = nowNs;
    FileReply result;
    try {
      FileRequest request = FileRequest.of(bytes.toArray(ValueLayout.JAVA_BYTE));
      if (request.operation() == FileRequest.Operation.LEAVE) {
        close();
        return false;
      }
      result = service.serve(request, incoming, outgoing);
      if (isRead(request) && result.count() > 0) {
        return send(result);
      }
    } catch (FileException bad) {
      result = FileReply.refused(bad.status());
    }
    return answer(result);
  }

  private static boolean isRead(FileRequest request) {
    return request.operation() == FileRequest.Operation.READ || request.operation() == FileRequest.Operation.READDIR;
  }

  /** Data goes first, by DMA; the reply follows when the data has left. */
  private boolean send(FileReply result) {
    pending = result;
    sentMax++;
    if (!endpoint.dma().write(data, 0, outgoing, 0, result.count(), sentMax)) {
      throw new NicException(Status.BUSY, "one transfer found no room in a DMA queue of its own");
    }
    state = State.SENDING;
    return true;
  }

  private boolean sent() {
    if (endpoint.dma().done() < sentMax) {
      return false;
    }
    if (data.status() != Status.OK) {
      close();
      return false;
    }
    state = State.IDLE;
    return answer(pending);
  }

  private boolean answer(FileReply result) {
    byte[] bytes = result.toBytes();
    MemorySegment.copy(bytes, 0, reply, ValueLayout.JAVA_BYTE, 0, bytes.length);
    return rpc.tryReply(reply, 0, bytes.length);
  }

  /** Ends the session of a client that is gone, or was idle for a lease. */
  void check(long nowNs) {
    long patienceNs = state == State.GREETING ? settings.callTimeoutNs() : settings.leaseNs();
    boolean gone = callee.peerStatus() != Status.OK || (data != null && data.status() != Status.OK);
    if (gone || (nowNs - lastUseNs > patienceNs && state != State.SENDING)) {
      close();
    }
  }

  private static <T> void closeIfMade(T made, Consumer<T> close) {
    if (made != null) {
      close.accept(made);
    }
  }

  /** Frees everything; the client can no longer write its memory. */
  @Override
  public void close() {
    if (state == State.OVER) {
      return;
    }
    state = State.OVER;
    callee.close();
    closeIfMade(rpc, RpcServer::close);
    closeIfMade(data, RemoteAperture::unmap);
    closeIfMade(endpoint, Endpoint::close);
    closeIfMade(aperture, LocalAperture::revoke);
    arena.close();
  }
}
