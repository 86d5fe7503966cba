package dev.weft.lab.trials.tripwire;

import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.Endpoint;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.RemoteAperture;
import dev.weft.tripwire.nic.Status;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The far side of {@code weft tripwire}: a thread that answers out-of-band messages at {@link #PORT}. A descriptor of the near side's memory, which
 * contains the parameters ({@link TripwireParameters#write}), opens a session; the answer is the descriptor of the far memory. {@link #ARM} with a
 * number arms that many additional Tripwires; {@link #CLOSE} ends the session. Errors are answered by {@link #FAILED} and a text. Sessions belong to
 * the endpoint that opened them.
 */
public final class TripwireService implements AutoCloseable {
  static final int PORT = 5_003;
  /** First bytes of messages that are not descriptors. */
  static final byte FAILED = 0;
  static final byte ARM = 1;
  static final byte CLOSE = 2;
  static final byte DONE = 3;
  private static final int SESSIONS_MAX = 64;
  private static final long READ_PATIENCE_S = 10;
  private static final Logger LOG = LoggerFactory.getLogger(TripwireService.class);

  private final Nic nic;
  private final Endpoint endpoint;
  private final Thread thread;
  private final Map<Long, FarTripwires> sessions = new HashMap<>();
  private volatile boolean closed;

  private TripwireService(Nic nic) {
    this.nic = nic;
    endpoint = nic.endpoint(PORT);
    thread = Thread.ofPlatform().daemon().name("weft-tripwire-service").unstarted(this::serve);
    endpoint.onMessage(() -> LockSupport.unpark(thread));
  }

  /** Starts the service. */
  public static TripwireService offer(Nic nic) {
    TripwireService service = new TripwireService(nic);
    service.thread.start();
    return service;
  }

  private void serve() {
    while (!closed) {
      Endpoint.Message message = endpoint.poll();
      if (message == null) {
        LockSupport.park(this);
      } else if (message.status() == Status.OK) {
        byte[] reply;
        try {
          reply = answer(message);
        } catch (Exception e) {
          LOG.warn("a session of weft tripwire was refused: {}", e.toString());
          reply = failure(String.valueOf(e.getMessage()));
        }
        endpoint.send(message.fromLid(), message.fromPort(), reply);
      }
    }
    sessions.values().forEach(FarTripwires::close);
  }

  private static byte[] failure(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    byte[] reply = Arrays.copyOf(new byte[] {FAILED}, Endpoint.MESSAGE_LENGTH);
    System.arraycopy(bytes, 0, reply, 1, Math.min(bytes.length, reply.length - 1));
    return reply;
  }

  private byte[] answer(Endpoint.Message message) throws Exception {
    ByteBuffer bytes = ByteBuffer.wrap(message.bytes());
    long session = (long) message.fromLid() << 32 | message.fromPort();
    switch (bytes.get(0)) {
      case ARM -> sessions.get(session).armBeside(bytes.getInt(1));
      case CLOSE -> {
        FarTripwires ended = sessions.remove(session);
        if (ended != null) {
          ended.close();
        }
      }
      default -> {
        if (sessions.size() == SESSIONS_MAX) {
          throw new NicException(Status.EXHAUSTED, SESSIONS_MAX + " sessions are open");
        }
        RemoteAperture near = nic.map(Descriptor.fromBytes(message.bytes(), 0));
        FarTripwires opened = new FarTripwires(nic, near, TripwireParameters.read(read(near)));
        sessions.put(session, opened);
        return opened.descriptor().toBytes();
      }
    }
    return new byte[] {DONE};
  }

  private static MemorySegment read(RemoteAperture near) throws Exception {
    MemorySegment into = Arena.ofAuto().allocate(TripwireParameters.LENGTH, Integer.BYTES);
    CompletableFuture<Status> done = new CompletableFuture<>();
    near.read(0, into, 0, TripwireParameters.LENGTH, done::complete);
    Status status = done.get(READ_PATIENCE_S, TimeUnit.SECONDS);
    if (status != Status.OK) {
      throw new NicException(status, "the parameters cannot be read: " + status);
    }
    return into;
  }

  /** Ends all sessions. */
  @Override
  public void close() {
    closed = true;
    endpoint.close();
    LockSupport.unpark(thread);
    try {
      thread.join(TimeUnit.SECONDS.toMillis(READ_PATIENCE_S));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
