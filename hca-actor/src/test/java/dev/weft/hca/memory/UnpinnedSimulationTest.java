package dev.weft.hca.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.seeds.Seeds;
import dev.weft.hca.verbs.Pair;
import dev.weft.hca.verbs.SendFlags;
import dev.weft.hca.verbs.UnpinnedPair;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Random transfers over pages that come and go, compared with a plain array; the seed is in the message. */
@Tag("slow")
@Tag("simulation")
@Timeout(300)
class UnpinnedSimulationTest {
  private static final int PAGE = UnpinnedPair.PAGE;
  private static final int PAGES = 48;
  private static final int ROUNDS = 40;
  private static final int BURST = 24;
  private static final int SLOT = 12_000;

  @Test
  void shouldKeepEveryByteWhilePagesComeAndGo() {
    Seeds.of(UnpinnedSimulationTest.class, "netvm", 1, 20, 20).run(seed -> {
      new Run(seed, LinkFaults.NONE).play(true);
    });
  }

  @Test
  void shouldKeepEveryByteThoughPacketsAreLost() {
    Seeds.of(UnpinnedSimulationTest.class, "netvm-loss", 101, 12, 10).run(seed -> {
      new Run(seed, new LinkFaults(0.01, 0, 0, 0, 0)).play(false);
    });
  }

  @Test
  void shouldKeepEveryByteOverAFabricThatReorders() {
    Seeds.of(UnpinnedSimulationTest.class, "netvm-reordering", 201, 12, 10).run(seed -> {
      new Run(seed, LinkFaults.NONE, "weft.fabric.switch { paths = 3, path-skew = 3us }\nweft.hca.sequence-window = 64").play(false);
    });
  }

  @Test
  void shouldGiveTheSameTraceForTheSameSeed() {
    assertEquals(new Run(7, LinkFaults.NONE).play(true), new Run(7, LinkFaults.NONE).play(true));
  }

  private static final class Run {
    private final long seed;
    private final Random random;
    private final UnpinnedPair vm;
    private final byte[] model = new byte[PAGES * PAGE];
    private record Expected(long at, byte[] bytes) {}
    private final List<Expected> reads = new ArrayList<>();

    Run(long seed, LinkFaults faults) {
      this(seed, faults, "");
    }

    Run(long seed, LinkFaults faults, String overrides) {
      this.seed = seed;
      random = new Random(seed);
      vm = new UnpinnedPair(seed, faults, 6 + random.nextInt(10), PAGES, 4 + random.nextInt(60), false, overrides);
    }

    long play(boolean quiet) {
      try (vm) {
        for (int round = 0; round < ROUNDS; round++) {
          playRound();
        }
        assertArrayEquals(model, vm.peek(0, model.length), "seed " + seed + ": memory at the end");
        assertEquals(0, vm.nic().redirect().used(), "seed " + seed);
        assertTrue(vm.nic().redirect().usedMax() <= vm.nic().redirect().accountPackets(), "seed " + seed);
        assertTrue(vm.nic().redirect().redirectedPackets() > 0, "seed " + seed + ": nothing was redirected");
        assertEquals(0, vm.vm.snapshot().spaces().getFirst().lockedPages(), "seed " + seed + ": pages stay locked");
        assertEquals(0, vm.pair.a.counters().rnrNaksReceived(), "seed " + seed);
        if (quiet) {
          assertEquals(0, vm.pair.a.counters().timeouts(), "seed " + seed + ": time-outs");
        }
        return vm.pair.fabric.system().traceHash();
      }
    }

    private void playRound() {
      reads.clear();
      int count = 1 + random.nextInt(BURST);
      for (int i = 0; i < count; i++) {
        post(i);
      }
      List<WorkCompletion> done = new ArrayList<>();
      vm.pair.runUntil(() -> {
        done.addAll(vm.pair.a.sent());
        return done.size() == count;
      });
      for (WorkCompletion wc : done) {
        assertEquals(WcStatus.SUCCESS, wc.status(), "seed " + seed + ": " + wc);
      }
      for (Expected read : reads) {
        assertArrayEquals(read.bytes, vm.ofA(read.at, read.bytes.length), "seed " + seed + ": a read");
      }
    }

    private void post(int i) {
      Pair.Side a = vm.pair.a;
      long slot = (long) i * SLOT;
      int length = 1 + random.nextInt(random.nextInt(4) == 0 ? SLOT : 600);
      int at = random.nextInt(model.length - length);
      WorkRequest request = new WorkRequest().wrId(i);
      switch (random.nextInt(4)) {
        case 0 -> {
          reads.add(new Expected(slot, Arrays.copyOfRange(model, at, at + length)));
          request.read(vm.va(at), vm.mr.rkey()).sge(a.mr, slot, length);
        }
        case 1 -> {
          int word = at & ~7;
          MemorySegment cell = MemorySegment.ofArray(model);
          long old = cell.get(ValueLayout.JAVA_LONG_UNALIGNED, word);
          cell.set(ValueLayout.JAVA_LONG_UNALIGNED, word, old + 3);
          byte[] expected = new byte[8];
          MemorySegment.ofArray(expected).set(ValueLayout.JAVA_LONG_UNALIGNED, 0, old);
          reads.add(new Expected(slot, expected));
          request.fetchAndAdd(vm.va(word), vm.mr.rkey(), 3).sge(a.mr, slot, 8);
        }
        default -> {
          byte[] bytes = new byte[length];
          random.nextBytes(bytes);
          MemorySegment.copy(bytes, 0, a.memory, ValueLayout.JAVA_BYTE, slot, length);
          System.arraycopy(bytes, 0, model, at, length);
          request.write(vm.va(at), vm.mr.rkey()).sge(a.mr, slot, length);
        }
      }
      a.send(request.flags(SendFlags.SIGNALED | SendFlags.FENCE));
    }
  }
}
