package dev.weft.lab.trials.tripwire;

import dev.weft.service.CommandFailure;
import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.Endpoint;
import dev.weft.tripwire.nic.LocalAperture;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.RemoteAperture;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Status;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The near side of one session: its memory, which the far side writes, and a mapping of the far memory. Used on an application thread, except where
 * noted.
 */
final class NearTripwires implements AutoCloseable {
  /** Offsets in the near memory: parameters, acknowledged writes, places. */
  static final long ACKNOWLEDGED = 64;
  static final long PLACES = 128;
  private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);
  private static final long LOOK_NS = 100_000;
  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

  private final Endpoint endpoint;
  private final int farLid;
  private final Arena arena = Arena.ofShared();
  private final RemoteAperture far;
  final Nic nic;
  final MemorySegment memory;
  final LocalAperture own;
  /** Data that is written to the far side. */
  final MemorySegment source;

  NearTripwires(TripwireFabric fabric, TripwireParameters p) {
    nic = fabric.near();
    farLid = nic.reach(fabric.farName());
    endpoint = nic.endpoint(0);
    memory = arena.allocate(PLACES + p.placesBytes(), 64);
    source = arena.allocate(p.sizeBytes(), 64);
    own = nic.export(memory);
    p.write(memory, 0);
    far = nic.map(Descriptor.fromBytes(ask(own.descriptor(Rights.ALL).toBytes()), 0));
  }

  RemoteAperture far() {
    return far;
  }

  Endpoint endpoint() {
    return endpoint;
  }

  /** Number of writes that the far side has noticed since the session began. Any thread. */
  long acknowledged() {
    return (long) WORD.getAcquire(memory, ACKNOWLEDGED);
  }

  /** Arms {@code count} additional Tripwires at the far side that no write touches. */
  void armBeside(int count) {
    ask(ByteBuffer.allocate(5).put(TripwireService.ARM).putInt(count).array());
  }

  private byte[] ask(byte[] question) {
    if (!endpoint.send(farLid, TripwireService.PORT, question)) {
      throw new CommandFailure("the near NIC has no room for a message");
    }
    long startNs = System.nanoTime();
    Endpoint.Message reply = endpoint.poll();
    while (reply == null && System.nanoTime() - startNs < PATIENCE_NS) {
      LockSupport.parkNanos(LOOK_NS);
      reply = endpoint.poll();
    }
    if (reply == null) {
      throw new CommandFailure("the far NIC's service did not answer within " + PATIENCE_NS / 1_000_000_000 + " s");
    }
    if (reply.status() != Status.OK) {
      throw new CommandFailure("the far NIC took no message: " + reply.status());
    }
    byte[] bytes = reply.bytes();
    if (bytes[0] == TripwireService.FAILED) {
      throw new CommandFailure("the far side refused: " + new String(bytes, 1, bytes.length - 1, StandardCharsets.UTF_8).strip());
    }
    return bytes;
  }

  @Override
  public void close() {
    try {
      ask(new byte[] {TripwireService.CLOSE});
    } finally {
      endpoint.close();
      far.unmap();
      own.revoke();
      arena.close();
    }
  }
}
