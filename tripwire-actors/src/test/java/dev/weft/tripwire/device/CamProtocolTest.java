package dev.weft.tripwire.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.BehaviorTestKit;
import akka.actor.testkit.typed.javadsl.TestInbox;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.tripwire.cam.Bank;
import dev.weft.tripwire.cam.PassingStream;
import dev.weft.tripwire.device.CamActor.Command;
import dev.weft.tripwire.driver.ExportedAperture;
import dev.weft.tripwire.nic.EventQueue;
import dev.weft.tripwire.nic.NetworkAddress;
import dev.weft.tripwire.nic.Tripwire;
import dev.weft.tripwire.nic.Watch;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The protocol of the CAM's interrupts, message by message: accesses pass and fire Tripwires, the NIC raises its line once, the actor has
 * the FIFO emptied and tells each Tripwire. In the first part the actor is an inbox, after that its consumers are a list. The FIFO has four
 * entries and an interrupt takes two of them.
 */
@Tag("simulation")
@Timeout(180)
class CamProtocolTest {
  private static final int FIFO = 4;
  private static final int BATCH = 2;

  private final List<String> told = new ArrayList<>();
  private VirtualPair pair;
  private NicDevice nic;
  private ExportedAperture aperture;
  private BehaviorTestKit<Command> cam;
  private TestInbox<Command> line;

  @BeforeEach
  void raiseTheLineHere() {
    start(BATCH);
  }

  @AfterEach
  void close() {
    pair.close();
  }

  private void start(int batch) {
    if (pair != null) {
      pair.close();
    }
    told.clear();
    pair = new VirtualPair(1, LinkFaults.NONE, "weft.tripwire { fifo-entries = " + FIFO + ", fifo-batch = " + batch + " }");
    nic = pair.near;
    aperture = nic.export(pair.memory(64));
    cam = BehaviorTestKit.create(CamActor.create(nic));
    line = cam.selfInbox();
    nic.core().start(nic.actor(), cam.getRef());
  }

  /** A Tripwire on one byte of the aperture, armed; what it is told is noted under that number. */
  private Tripwire wire(int at, boolean once) {
    Tripwire wire = nic.tripwire().set(aperture, Watch.WRITE, at, 1, once);
    wire.onFired((of, firings) -> told.add(at + "x" + firings), ReceiveContext.ISR);
    wire.arm();
    return wire;
  }

  private List<Tripwire> wires(int count) {
    List<Tripwire> wires = new ArrayList<>();
    for (int at = 0; at < count; at++) {
      wires.add(wire(at, false));
    }
    return wires;
  }

  /** One write over the network to these bytes has been placed. */
  private void written(int from, int to) {
    PassingStream stream = nic.core().stream;
    stream.begin();
    long start = NetworkAddress.of(aperture.number(), 0);
    nic.core().interruptIf(stream.end(Bank.LOCAL_WRITE, start + from, start + to, false));
  }

  private void written(int at) {
    written(at, at + 1);
  }

  /** The line was raised once, and the actor serves it. */
  private void interrupted() {
    assertSame(CamActor.INTERRUPT, line.receiveMessage());
    cam.run(CamActor.INTERRUPT);
  }

  /** All that the consumers were told since this was asked last. */
  private List<String> told() {
    List<String> all = List.copyOf(told);
    told.clear();
    return all;
  }

  private void silence() {
    assertFalse(line.hasMessages(), "the line is down");
    assertEquals(List.of(), told());
  }

  // ---- the NIC and its actor

  @Test
  void shouldRaiseTheLineOnceUntilTheInterruptIsServed() {
    wires(2);
    silence();
    written(9);
    silence();
    written(0);
    written(1);
    written(0);
    assertEquals(List.of(CamActor.INTERRUPT), line.getAllReceived());
    assertEquals(List.of(), told(), "nobody is told before the interrupt is served");
    cam.run(CamActor.INTERRUPT);
    assertEquals(List.of(CamActor.INTERRUPT), line.getAllReceived(), "a third firing waits in the FIFO");
  }

  // ---- the actor and who is told

  @Test
  void shouldTellEachFiringOnceInItsOrder() {
    start(0);
    wires(4);
    written(2);
    written(0);
    written(2);
    written(3);
    interrupted();
    assertEquals(List.of("2x1", "0x1", "2x1", "3x1"), told());
    silence();
    written(1);
    interrupted();
    assertEquals(List.of("1x1"), told());
    silence();
  }

  @Test
  void shouldTellAllThatOneAccessFires() {
    start(0);
    wires(3);
    written(0, 3);
    interrupted();
    assertEquals(List.of("0x1", "1x1", "2x1"), told().stream().sorted().toList());
    silence();
  }

  @Test
  void shouldTakeNoMoreThanItsBatchAndLeaveTheLineUpForTheRest() {
    wires(4);
    written(3);
    written(1);
    written(0);
    written(2);
    interrupted();
    assertEquals(List.of("3x1", "1x1"), told());
    interrupted();
    assertEquals(List.of("0x1", "2x1"), told());
    silence();
  }

  @Test
  void shouldLowerTheLineWhenTheFifoHeldAsManyAsOneInterruptTakes() {
    wires(2);
    written(1);
    written(0);
    interrupted();
    assertEquals(List.of("1x1", "0x1"), told());
    silence();
    cam.run(CamActor.INTERRUPT); // One too many.
    silence();
  }

  @Test
  void shouldTellFiringsThatFoundNoRoomAfterTheOthersAndAddedUp() {
    wires(4);
    for (int at : new int[] {0, 1, 0, 1, 3, 2, 3, 3}) {
      written(at);
    }
    interrupted();
    assertEquals(List.of("0x1", "1x1"), told());
    interrupted();
    assertEquals(List.of("0x1", "1x1", "3x3", "2x1"), told());
    silence();
    written(3);
    interrupted();
    assertEquals(List.of("3x1"), told(), "what was told is told no more");
    silence();
  }

  @Test
  void shouldBeInterruptedAgainByWhatFiresWhileItServes() {
    start(0);
    wires(2);
    wire(5, false).onFired((wire, firings) -> {
      told.add("5x" + firings);
      written(1);
    }, ReceiveContext.ISR);
    written(5);
    written(0);
    interrupted();
    assertEquals(List.of("5x1", "0x1", "1x1"), told());
    interrupted(); // It had been raised for what was taken already.
    silence();
    written(0);
    interrupted();
    assertEquals(List.of("0x1"), told());
  }

  @Test
  void shouldTellOnceOfATripwireThatWasSetOnce() {
    Tripwire once = wire(0, true);
    written(0);
    written(0);
    interrupted();
    assertEquals(List.of("0x1"), told());
    silence();
    once.arm();
    written(0);
    interrupted();
    assertEquals(List.of("0x1"), told());
    silence();
  }

  @Test
  void shouldTellNobodyOfATripwireThatWasClosedMeanwhileAndGoOnWithTheOthers() {
    List<Tripwire> wires = wires(3);
    written(0);
    written(1);
    written(2);
    wires.get(1).close();
    interrupted();
    assertEquals(List.of("0x1"), told());
    interrupted();
    assertEquals(List.of("2x1"), told());
    silence();
  }

  @Test
  void shouldPostEachFiringToTheEventQueueInItsOrder() {
    List<Tripwire> wires = wires(3);
    EventQueue queue = nic.eventQueue(8);
    wires.forEach(queue::register);
    written(2);
    written(0);
    written(1);
    assertFalse(queue.poll());
    interrupted();
    interrupted();
    for (int at : new int[] {2, 0, 1}) {
      assertTrue(queue.poll());
      assertSame(wires.get(at), queue.source());
      assertEquals(1, queue.count());
    }
    assertFalse(queue.poll());
  }
}
