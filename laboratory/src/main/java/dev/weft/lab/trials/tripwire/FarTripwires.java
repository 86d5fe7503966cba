package dev.weft.lab.trials.tripwire;

import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.EventQueue;
import dev.weft.tripwire.nic.EventSource;
import dev.weft.tripwire.nic.LocalAperture;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.RemoteAperture;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Tripwire;
import dev.weft.tripwire.nic.Watch;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The far side of one session: places with a Tripwire each, and the code that answers when one fires. RTT and SERVER write the data back to the same
 * place of the near side; streams acknowledge by writing the number of firings so far.
 *
 * <p>After the places there is memory for additional Tripwires that are armed but never fire: of several lengths, in lines and across pages.
 */
final class FarTripwires implements AutoCloseable {
  /** How long the server of CLAN, section 5.3, polls before it selects. */
  private static final long POLL_NS = 15_000;
  private static final long WAIT_NS = 100_000_000;
  private static final long JOIN_MS = 10_000;
  private static final int[] BESIDE_LENGTHS = {8, 24, 100, 4096};
  /** Length of every 64th additional Tripwire, which covers whole pages. */
  private static final int BESIDE_LONG = 20_000;
  private static final int BESIDE_STEP = 64;
  private static final Logger LOG = LoggerFactory.getLogger(FarTripwires.class);

  private final Nic nic;
  private final RemoteAperture near;
  private final TripwireParameters p;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;
  private final LocalAperture aperture;
  private final long besideAt;
  private final List<Tripwire> wires = new ArrayList<>();
  private final List<Tripwire> beside = new ArrayList<>();
  /** Places whose answers found no room. Hardware thread. */
  private final ArrayDeque<Long> unanswered = new ArrayDeque<>();
  private Thread application;
  private long told;
  private long acknowledged;
  private volatile boolean closed;

  FarTripwires(Nic nic, RemoteAperture near, TripwireParameters p) {
    this.nic = nic;
    this.near = near;
    this.p = p;
    besideAt = (p.placesBytes() + 4095) & ~4095L;
    memory = arena.allocate(besideAt + (long) nic.settings().tripwiresMax() * BESIDE_STEP + BESIDE_LONG, 4096);
    memory.asSlice(0, besideAt).fill((byte) 0);
    aperture = nic.export(memory);
    for (int i = 0; i < p.endpoints(); i++) {
      wires.add(nic.tripwire().set(aperture, Watch.WRITE, (long) i * p.strideBytes(), p.sizeBytes(), false));
    }
    switch (p.test()) {
      case SERVER -> {
        EventQueue queue = nic.eventQueue(Math.max(64, wires.size()));
        Map<EventSource, Long> places = new IdentityHashMap<>(); // Only looked up, never iterated.
        for (int i = 0; i < wires.size(); i++) {
          places.put(wires.get(i), (long) i * p.strideBytes());
          queue.register(wires.get(i));
        }
        start(() -> serve(queue, places));
      }
      case RTT -> {
        if (p.how() == TripwireWait.CALLBACK) {
          nic.onRoom(this::answerTheRest);
          handle(this::answer);
        } else {
          start(this::answerWhenFired);
        }
      }
      case RATE, BANDWIDTH -> {
        nic.onRoom(this::acknowledge);
        handle(this::count);
      }
    }
    wires.forEach(Tripwire::arm);
  }

  Descriptor descriptor() {
    return aperture.descriptor(Rights.WRITE);
  }

  private interface OnPlace {
    void told(long place, long firings);
  }

  private void handle(OnPlace todo) {
    for (int i = 0; i < wires.size(); i++) {
      long place = (long) i * p.strideBytes();
      wires.get(i).onFired((wire, firings) -> todo.told(place, firings), ReceiveContext.ISR);
    }
  }

  private void start(Runnable loop) {
    application = Thread.ofPlatform().daemon().name("weft-tripwire-far").start(loop);
  }

  private void answer(long place, long firings) {
    if (!unanswered.isEmpty() || !near.write(NearTripwires.PLACES + place, memory, place, p.sizeBytes())) {
      unanswered.add(place);
    }
  }

  private void answerTheRest() {
    while (!unanswered.isEmpty() && near.write(NearTripwires.PLACES + unanswered.peek(), memory, unanswered.peek(), p.sizeBytes())) {
      unanswered.poll();
    }
  }

  private void count(long place, long firings) {
    told += firings;
    acknowledge();
  }

  private void acknowledge() {
    long due = told - told % p.ackEvery();
    if (due > acknowledged && near.writeLong(NearTripwires.ACKNOWLEDGED, due)) {
      acknowledged = due;
    }
  }

  private void answerWhenFired() {
    Tripwire wire = wires.getFirst();
    while (!closed) {
      if (wire.await(p.how() == TripwireWait.SPIN ? WAIT_NS : 0, WAIT_NS) && !closed) {
        near.write(NearTripwires.PLACES, memory, 0, p.sizeBytes());
      }
    }
  }

  /** The event loop of CLAN, section 5.3: empty the queue, poll for a while, return to select. */
  private void serve(EventQueue events, Map<EventSource, Long> places) {
    try (Selector selector = Selector.open(); EventQueue queue = events) {
      queue.channel().register(selector, SelectionKey.OP_READ);
      while (!closed) {
        do {
          while (queue.poll()) {
            Long place = places.get(queue.source());
            for (long i = 0; place != null && i < queue.count(); i++) {
              near.write(NearTripwires.PLACES + place, memory, place, p.sizeBytes());
            }
          }
        } while (queue.await(POLL_NS, POLL_NS));
        selector.select(WAIT_NS / 1_000_000);
        selector.selectedKeys().clear();
      }
    } catch (IOException | RuntimeException e) {
      if (!closed) {
        LOG.error("the event server has ended", e);
      }
    }
  }

  /** Arms {@code count} additional Tripwires that no write touches; replaces the former ones. */
  void armBeside(int count) {
    while (beside.size() < count) {
      int i = beside.size();
      beside.add(nic.tripwire().set(aperture, Watch.WRITE, besideAt + (long) i * BESIDE_STEP,
          i % 64 == 63 ? BESIDE_LONG : BESIDE_LENGTHS[i % BESIDE_LENGTHS.length], false));
    }
    for (int i = 0; i < beside.size(); i++) {
      if (i < count) {
        beside.get(i).arm();
      } else {
        beside.get(i).disarm();
      }
    }
    nic.inspect(); // All requests are handled then.
  }

  @Override
  public void close() {
    closed = true;
    if (application != null) {
      try { // Not interrupted, because it may be running the hardware.
        application.join(JOIN_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    nic.onRoom(null);
    wires.forEach(Tripwire::close);
    beside.forEach(Tripwire::close);
    aperture.revoke();
    near.unmap();
    arena.close();
  }
}
