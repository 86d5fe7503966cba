package dev.weft.hca.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.seeds.Seeds;
import dev.weft.hca.verbs.AddressHandle;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.TypedPair;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** UC and UD over links with faults, in virtual time: what arrives is whole, and only what the faults explain is missing. */
@Tag("slow")
@Tag("simulation")
class UnreliableSimulationTest {
  private static final int MESSAGES = 300;
  private static final int SLOT = 8192;

  /** What arrived: the number of each message, in order of completion. */
  private record Outcome(List<Integer> arrived, long messagesDropped) {}

  private static byte pattern(long seed, int message, int position) {
    return (byte) (seed * 31 + message * 131L + position * 7L + (position >> 8));
  }

  /** Sends messages of random lengths whose bytes tell which they are, and checks the bytes of each that completes. */
  private static Outcome run(QpType type, long seed, LinkFaults faults) {
    Random random = new Random(seed);
    List<Integer> arrived = new ArrayList<>();
    try (TypedPair p = TypedPair.of(type, seed, faults)) {
      int header = type == QpType.UD ? 40 : 0;
      int[] lengths = new int[MESSAGES];
      AddressHandle handle = p.aToB();
      int sent = 0;
      for (int slot = 0; slot < 60; slot++) {
        p.post(slot, (long) slot * SLOT, SLOT);
      }
      for (int message = 0; message < MESSAGES; message++) {
        lengths[message] = random.nextInt(4, type == QpType.UD ? 1025 : 5000);
        int at = message % 60 * SLOT;
        p.a.memory.set(ValueLayout.JAVA_INT, at, message);
        for (int i = 4; i < lengths[message]; i++) {
          p.a.memory.set(ValueLayout.JAVA_BYTE, at + i, pattern(seed, message, i));
        }
        p.qa.postSend(p.a.wr.sendWithImm(message).sge(p.a.mr, at, lengths[message]).wrId(message).signaled()
            .to(handle, p.qb.qpNum(), TypedPair.QKEY));
        if (message % 10 == 9) {
          p.pair.fabric.system().runFor(50_000 + random.nextInt(100_000));
          collect(p, seed, header, lengths, arrived);
          sent += p.a.sent().size();
        }
      }
      p.run();
      collect(p, seed, header, lengths, arrived);
      assertEquals(MESSAGES, sent + p.a.sent().size(), "every request completes, seed " + seed);
      assertEquals(QpState.RTS, p.qb.state());
      return new Outcome(arrived, p.b.counters().messagesDropped());
    }
  }

  private static void collect(TypedPair p, long seed, int header, int[] lengths, List<Integer> arrived) {
    for (WorkCompletion wc : p.b.received()) {
      assertEquals(WcStatus.SUCCESS, wc.status(), "seed " + seed);
      int message = wc.immData();
      String what = "seed " + seed + " message " + message;
      long at = wc.wrId() * SLOT + header;
      assertEquals(header + lengths[message], wc.byteLen(), what);
      assertEquals(message, p.b.memory.get(ValueLayout.JAVA_INT_UNALIGNED, at), what);
      for (int i = 4; i < lengths[message]; i++) {
        assertEquals(pattern(seed, message, i), p.b.memory.get(ValueLayout.JAVA_BYTE, at + i), what + " byte " + i);
      }
      arrived.add(message);
      p.post(wc.wrId(), wc.wrId() * SLOT, SLOT);
    }
  }

  static LongStream seeds() {
    return Seeds.of(UnreliableSimulationTest.class, "unreliable", 1, 15, 15).stream();
  }

  @ParameterizedTest
  @EnumSource(value = QpType.class, names = {"UC", "UD"})
  void shouldBringEverythingInOrderOverAGoodLink(QpType type) {
    List<Integer> arrived = run(type, 1, LinkFaults.NONE).arrived();
    assertEquals(MESSAGES, arrived.size());
    assertEquals(arrived.stream().sorted().toList(), arrived);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldBringMessagesOfUcWholeOrNotAtAllInOrderOverALossyLink(long seed) {
    List<Integer> arrived = run(QpType.UC, seed, new LinkFaults(0.02, 0, 0, 0.01, 0)).arrived();
    assertTrue(arrived.size() < MESSAGES && arrived.size() > MESSAGES / 2, "seed " + seed + ": " + arrived.size());
    assertEquals(arrived.stream().distinct().sorted().toList(), arrived, "seed " + seed);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldBringMessagesOfUcWholeOrNotAtAllWhateverTheFaults(long seed) {
    List<Integer> arrived = run(QpType.UC, seed, new LinkFaults(0.01, 0.02, 0.02, 0.01, 20_000)).arrived();
    assertTrue(arrived.stream().distinct().count() > MESSAGES / 4, "seed " + seed + ": " + arrived.size());
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldBringADatagramAtMostOnceUnlessTheLinkDuplicates(long seed) {
    List<Integer> lossy = run(QpType.UD, seed, new LinkFaults(0.05, 0, 0.05, 0.02, 20_000)).arrived();
    assertEquals(lossy.stream().distinct().count(), lossy.size(), "seed " + seed);
    assertTrue(lossy.size() < MESSAGES && lossy.size() > MESSAGES / 2, "seed " + seed + ": " + lossy.size());
    List<Integer> doubled = run(QpType.UD, seed, new LinkFaults(0, 0.1, 0, 0, 0)).arrived();
    assertEquals(MESSAGES, doubled.stream().distinct().count(), "seed " + seed);
    assertTrue(doubled.size() > MESSAGES, "seed " + seed + ": the link did duplicate");
  }

  @ParameterizedTest
  @EnumSource(value = QpType.class, names = {"UC", "UD"})
  void shouldDoTheSameAgainWithTheSameSeed(QpType type) {
    LinkFaults faults = new LinkFaults(0.03, 0.01, 0.03, 0.01, 10_000);
    assertEquals(run(type, 77, faults), run(type, 77, faults));
  }
}
