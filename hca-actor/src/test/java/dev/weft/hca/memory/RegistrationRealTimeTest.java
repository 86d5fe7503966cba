package dev.weft.hca.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.rules.Needs;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.registration.HcaRegistrar;
import dev.weft.hca.registration.Registration;
import dev.weft.hca.registration.RegistrationSettings;
import dev.weft.hca.registration.RegistrationSettings.Strategy;
import dev.weft.hca.registration.RegistrationStrategy;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Strategies over a real HCA: pages are locked and unlocked, keys come and go. */
@Tag("jvms")
@Timeout(180)
class RegistrationRealTimeTest {
  private static final int PAGE = 4096;
  private static final int BUFFER = 4 * PAGE;
  private static final int LONG = 256 << 20;
  private static final int FRESH = 64 << 20;

  private static LocalFabric fabric;
  private static Node node;

  @BeforeAll
  static void start() {
    fabric = LocalFabric.start(ConfigFactory.empty());
    node = fabric.addNode("registering");
  }

  @AfterAll
  static void stop() {
    fabric.close();
  }

  private static RegistrationStrategy make(Strategy strategy, int entries) {
    return RegistrationStrategy.create(new RegistrationSettings(strategy, entries, 1 << 30, 3, 1 << 30),
        new HcaRegistrar(node.hca(), node.hca().allocPd()));
  }

  private static boolean use(RegistrationStrategy strategy, MemorySegment memory) {
    Registration registration = strategy.acquire(memory, Access.LOCAL_WRITE);
    strategy.release(registration);
    return registration.isPinned();
  }

  /** Too long for the heap of malloc, so new from the kernel: memory that another test gave back may still be locked. */
  private static MemorySegment freshPages(Arena arena) {
    return arena.allocate(FRESH, PAGE);
  }

  @Test
  void shouldLockPagesWhileTheyAreRegisteredAndUnlockThemInBatches() {
    long before = PageLocks.lockedPages();
    try (Arena arena = Arena.ofShared(); RegistrationStrategy fmrd = make(Strategy.FMRD, 2)) {
      MemorySegment pool = freshPages(arena).asSlice(0, 8 * BUFFER);
      Needs.that(use(fmrd, pool.asSlice(0, BUFFER)), "the limit on locked memory (ulimit -l) forbids to lock 16 KiB");
      assertEquals(before + 4, PageLocks.lockedPages());
      for (int i = 1; i < 4; i++) {
        use(fmrd, pool.asSlice((long) i * BUFFER, BUFFER));
      }
      assertEquals(before + 16, PageLocks.lockedPages(), "two are kept, two wait");
      assertEquals(4 * BUFFER, fmrd.stats().pinnedBytes());
      use(fmrd, pool.asSlice(4 * BUFFER, BUFFER));
      assertEquals(before + 8, PageLocks.lockedPages(), "the third of a batch takes the others along");
      assertEquals(1, fmrd.stats().batches());
    }
    assertEquals(before, PageLocks.lockedPages());
  }

  @Test
  void shouldUnlockAtOnceWhenDynamic() {
    try (Arena arena = Arena.ofShared(); RegistrationStrategy dynamic = make(Strategy.DYNAMIC, 2)) {
      long before = PageLocks.lockedPages();
      Registration held = dynamic.acquire(freshPages(arena).asSlice(0, BUFFER), Access.LOCAL_WRITE);
      Needs.that(held.isPinned(), "the limit on locked memory (ulimit -l) forbids to lock 16 KiB");
      assertEquals(before + 4, PageLocks.lockedPages());
      dynamic.release(held);
      assertEquals(before, PageLocks.lockedPages());
    }
  }

  /** In a JVM of its own that may lock 8 MiB, also where this one is root's and may lock all. */
  @Test
  void shouldSayThatTheLimitOnLockedMemoryForbadeIt() throws Exception {
    Needs.program("prlimit", "util-linux");
    Needs.program("setpriv", "util-linux");
    List<String> command = new ArrayList<>();
    if (System.getProperty("user.name").equals("root")) {
      command.addAll(List.of("setpriv", "--bounding-set=-ipc_lock", "--inh-caps=-ipc_lock"));
    }
    command.addAll(List.of("prlimit", "--memlock=8388608:8388608", ProcessHandle.current().info().command().orElseThrow()));
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream().filter(option -> option.startsWith("--")).forEach(command::add);
    command.addAll(List.of("-Xmx64m", "-XX:MaxDirectMemorySize=512m", "-cp", System.getProperty("java.class.path"),
        LimitedLockMain.class.getName(), Integer.toString(LONG)));
    Process limited = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      String said = new String(limited.getInputStream().readAllBytes());
      assertTrue(said.contains("pinned false, unpinned 1, pinnedBytes 0, registeredBytes " + LONG), said);
    } finally {
      limited.destroyForcibly();
    }
  }

  @Test
  void shouldNotServeMemoryOfAClosedArenaWhoseAddressCameBack() {
    try (RegistrationStrategy cache = make(Strategy.PIN_DOWN_CACHE, 8)) {
      int reused = 0;
      for (int i = 0; i < 50; i++) {
        Registration former;
        long address;
        try (Arena arena = Arena.ofShared()) {
          MemorySegment memory = arena.allocate(BUFFER, PAGE);
          address = memory.address();
          former = cache.acquire(memory, Access.LOCAL_WRITE);
          cache.release(former);
        }
        try (Arena arena = Arena.ofShared()) {
          MemorySegment memory = arena.allocate(BUFFER, PAGE);
          reused += memory.address() == address ? 1 : 0;
          Registration now = cache.acquire(memory, Access.LOCAL_WRITE);
          assertNotEquals(former.lkey(), now.lkey());
          cache.release(now);
        }
      }
      assumeTrue(reused > 0, "the C library gave no address twice");
      assertEquals(0, cache.stats().hits());
    }
  }

  @Test
  void shouldRefuseABatchWithARegionThatIsNotRegisteredAndLeaveTheOthers() {
    try (Arena arena = Arena.ofShared()) {
      ProtectionDomain pd = node.hca().allocPd();
      MemoryRegion one = node.hca().regMr(pd, arena.allocate(BUFFER, PAGE), Access.LOCAL_WRITE);
      MemoryRegion gone = node.hca().regMr(pd, arena.allocate(BUFFER, PAGE), Access.LOCAL_WRITE);
      node.hca().deregMr(gone);
      assertThrows(VerbsException.class, () -> node.hca().deregMrs(List.of(one, gone)));
      assertThrows(VerbsException.class, () -> node.hca().deregMrs(List.of(one, one)));
      assertTrue(one.isValid());
      node.hca().deregMrs(List.of(one));
      assertFalse(one.isValid());
      node.hca().deallocPd(pd);
    }
  }
}
