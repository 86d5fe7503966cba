package dev.weft.hca.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.weft.hca.registration.HcaRegistrar;
import dev.weft.hca.registration.Registration;
import dev.weft.hca.registration.RegistrationSettings;
import dev.weft.hca.registration.RegistrationSettings.Strategy;
import dev.weft.hca.registration.RegistrationStrategy;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.Pair;
import dev.weft.hca.verbs.UnpinnedPair;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("simulation")
class UnpinnedRegistrationTest {
  private static RegistrationStrategy unpinned(Pair.Side side) {
    return RegistrationStrategy.create(new RegistrationSettings(Strategy.UNPINNED, 4, 4096, 2, 4096), new HcaRegistrar(side.hca, side.pd));
  }

  @Test
  void shouldServePartsOfVirtualMemoryFromOneRegistration() {
    try (UnpinnedPair vm = new UnpinnedPair(4, 64); RegistrationStrategy strategy = unpinned(vm.pair.b)) {
      Registration whole = strategy.acquire(vm.name, Access.ALL);
      Registration part = strategy.acquire(vm.name.asSlice(3L * UnpinnedPair.PAGE, 100), Access.REMOTE_WRITE | Access.LOCAL_WRITE);
      assertEquals(whole.rkey(), part.rkey());
      assertFalse(part.isPinned());
      assertEquals(0, strategy.stats().pinnedBytes());
      vm.pair.a.fill(8);
      vm.pair.a.send(new WorkRequest().write(vm.name.address() + 3L * UnpinnedPair.PAGE, part.rkey()).sge(vm.pair.a.mr, 0, 100).signaled());
      vm.pair.run();
      assertEquals(WcStatus.SUCCESS, vm.pair.a.oneSent().status());
      assertArrayEquals(vm.ofA(0, 100), vm.peek(3L * UnpinnedPair.PAGE, 100));
      strategy.release(part);
      strategy.release(whole);
    }
  }

  @Test
  void shouldLeaveOtherMemoryToTheOperatingSystem() {
    try (Pair pair = Pair.connected(); Arena arena = Arena.ofShared(); RegistrationStrategy strategy = unpinned(pair.b)) {
      MemorySegment memory = arena.allocate(1 << 16, 8);
      Registration registration = strategy.acquire(memory, Access.ALL);
      assertFalse(registration.isPinned());
      pair.a.word(0, 99);
      pair.a.send(new WorkRequest().write(memory.address(), registration.rkey()).sge(pair.a.mr, 0, 8).signaled());
      pair.run();
      assertEquals(WcStatus.SUCCESS, pair.a.oneSent().status());
      assertEquals(99, memory.get(java.lang.foreign.ValueLayout.JAVA_LONG, 0));
      strategy.release(registration);
    }
  }
}
