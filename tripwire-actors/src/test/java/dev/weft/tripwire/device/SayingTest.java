package dev.weft.tripwire.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.packet.CableMessage;
import dev.weft.tripwire.nic.LocalAperture;
import dev.weft.tripwire.nic.RemoteAperture;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Status;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What NICs say of flows, while there is no credit, or always something else to send. */
@Tag("simulation")
class SayingTest {
  private static final String FEW_CREDITS = """
      weft.tripwire.outbound-packets = 2048
      weft.fabric.switch.input-buffer-packets = 4
      """;

  /** Virtual lane of the NICs. */
  private static final int LANE = 3;

  private static boolean isStreaming(NicDevice nic) {
    return !nic.core().hasRoom(nic.settings().outboundPackets());
  }

  /** Stores until no more find room. */
  private static RemoteAperture stream(VirtualPair pair) {
    RemoteAperture mapping = pair.near.map(pair.far.export(pair.memory(64)).descriptor(Rights.WRITE));
    while (mapping.writeInt(0, 1)) {
      continue;
    }
    assertTrue(isStreaming(pair.near));
    return mapping;
  }

  private static void until(VirtualPair pair, BooleanSupplier condition) {
    assertTrue(pair.fabric.system().runUntil(condition, 1_000_000_000L));
  }

  @Test
  void shouldAnswerAndRefuseWhileStoresNeverEnd() {
    try (VirtualPair pair = new VirtualPair(41, LinkFaults.NONE, FEW_CREDITS)) {
      stream(pair);
      LocalAperture aperture = pair.near.export(pair.memory(64));
      RemoteAperture back = pair.far.map(aperture.descriptor(Rights.WRITE));
      RemoteAperture other = pair.far.mapNow(pair.near.export(pair.memory(64)).descriptor(Rights.WRITE));
      other.writeInt(0, 1);
      until(pair, () -> pair.far.core().flows.to(pair.near.lid()).answered);
      aperture.revoke();
      back.writeInt(0, 1);
      until(pair, () -> back.status() == Status.REVOKED);
      pair.far.core().flows.to(pair.near.lid()).position++; // One is as if it were lost.
      other.writeInt(0, 1);
      until(pair, () -> other.status() == Status.BROKEN);
      assertTrue(isStreaming(pair.near), "told before");
    }
  }

  @Test
  void shouldAskAgainWhenThereIsACreditAndCountNothingElse() {
    try (VirtualPair pair = new VirtualPair(42, LinkFaults.NONE, "weft.tripwire.confirm-timeout = 1 s")) {
      pair.fabric.link("far/nic").setPartitioned(true);
      Flows.Outgoing flow = pair.near.control(() -> pair.near.core().hello.ask(pair.far.lid()));
      pair.fabric.system().runFor(Flows.REPEAT_NS / 2);
      pair.near.core().port().onXoff(new CableMessage.Xoff(LANE, true));
      pair.fabric.system().runFor(2_000_000_000L);
      assertTrue(flow.open, "it ends when it was asked in vain for that long, and nobody was");
      assertEquals(1, pair.near.core().counters.packetsSent);
      pair.fabric.link("far/nic").setPartitioned(false);
      pair.near.core().port().onXoff(new CableMessage.Xoff(LANE, false));
      pair.near.core().pump();
      assertEquals(2, pair.near.core().counters.packetsSent, "at once");
      pair.run();
      assertTrue(flow.answered);
      assertFalse(flow.askDue);
    }
  }

  @Test
  void shouldSayTheLatestOnce() {
    try (VirtualPair pair = new VirtualPair(43)) {
      Refusals refusals = pair.near.core().refusals;
      for (int at = 1; at <= 3; at++) {
        refusals.tell(5, Refusals.GROUP, Status.BROKEN, 0xc001, 7, at, true);
        refusals.tell(5, Refusals.GROUP, Status.BROKEN, 0xc002, 8, at, true);
        refusals.tell(6, Refusals.WRITE, Status.BROKEN, 0, 0, at, true);
        refusals.tell(6, Hello.ANSWER, Status.OK, 0, 0, at, true);
      }
      assertEquals(List.of("5 7 3", "5 8 3", "6 0 3", "6 0 3"),
          refusals.waiting().stream().map(o -> o.lid() + " " + o.key() + " " + o.offset()).toList());
      assertEquals(3, pair.near.core().counters.refusalsSent);
      refusals.waiting().clear();
    }
  }
}
