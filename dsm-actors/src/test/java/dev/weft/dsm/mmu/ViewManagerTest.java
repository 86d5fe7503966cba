package dev.weft.dsm.mmu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.access.Announcements;
import dev.weft.dsm.access.CheckedAccess;
import dev.weft.dsm.access.PageTable;
import dev.weft.dsm.access.Rights;
import dev.weft.dsm.mmu.ViewManager.Outcome;
import dev.weft.dsm.wire.ObjectSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Groups of minipages, in a view of this process that no thread touches where it could fault. */
class ViewManagerTest {
  private static final int MINIPAGES = 8;
  private static final long WORDS = 16;
  private final Arena arena = Arena.ofShared();
  private final ViewManager manager = new ViewManager(64, 0);
  private MemorySegment frames;
  private MappedArray array;
  private UserFault faults;
  private MemorySegment view;

  @BeforeEach
  void map() {
    ObjectSpec spec = new ObjectSpec(1, ObjectSpec.Kind.LONGS, "a", MINIPAGES * WORDS, WORDS * 8, 4096, 0, 1);
    CheckedAccess access = new CheckedAccess(new Announcements(1), true);
    PageTable table = access.add(spec);
    frames = arena.allocate(16384, 4096);
    array = new MappedArray(manager, table, frames, LinuxCalls.pageBytes(), Runnable::run);
    table.use(array);
    faults = UserFault.create();
    long address = LinuxCalls.map(array.file(), array.layout().viewBytes());
    view = LinuxCalls.memory(address, array.layout().viewBytes());
    assertEquals(0, faults.register(address, view.byteSize()));
    array.attach(3, address, faults);
    for (int i = 0; i < MINIPAGES; i++) {
      access.grant(i, Rights.WRITE);
      frames.set(ValueLayout.JAVA_LONG, 4096 + i * WORDS * 8, 100 + i);
      assertEquals(MappedArray.Resolution.RESOLVED, array.resolve(3, i, address + array.layout().startOf(i), 0));
      view.set(ValueLayout.JAVA_LONG, array.layout().startOf(i) + 8, 200 + i);
    }
  }

  @AfterEach
  void close() {
    faults.close();
    arena.close();
  }

  private long inFrame(int index, int word) {
    return frames.get(ValueLayout.JAVA_LONG, 4096 + (index * WORDS + word) * 8);
  }

  private static boolean isInMemory(MemorySegment page) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment answer = arena.allocate(1);
      assertEquals(0, LinuxCalls.call(LinuxCalls.Call.MINCORE, page.address(), 1, answer.address()));
      return (answer.get(ValueLayout.JAVA_BYTE, 0) & 1) != 0;
    }
  }

  @Test
  void shouldSetAnyGroupToAnyRightsWithOneCall() {
    assertEquals(Outcome.DONE, manager.protect(array, new int[] {0, 1, 2, 4, 6},
        new byte[] {Rights.READ, Rights.NONE, Rights.NONE, Rights.WRITE, Rights.READ}));
    long[] copied = new long[MINIPAGES];
    boolean[] there = new boolean[MINIPAGES];
    for (int i = 0; i < MINIPAGES; i++) {
      assertEquals(100 + i, inFrame(i, 0));
      copied[i] = inFrame(i, 1);
      there[i] = isInMemory(view.asSlice(array.layout().startOf(i), 4096));
    }
    assertArrayEquals(new long[] {200, 201, 202, 0, 0, 0, 206, 0}, copied);
    assertArrayEquals(new boolean[] {true, false, false, true, true, true, true, true}, there);
    assertEquals(6, manager.residents.pages());
  }

  @Test
  void shouldSayThatItMustBeTriedAgainWhenAnotherThreadChangesViews() throws InterruptedException {
    Outcome[] seen = new Outcome[1];
    boolean[] lowered = new boolean[1];
    manager.lock();
    try {
      Thread other = Thread.ofPlatform().start(() -> {
        seen[0] = manager.protect(array, new int[] {0}, new byte[] {Rights.NONE});
        lowered[0] = array.tryLower(1, Rights.NONE);
      });
      other.join();
    } finally {
      manager.unlock();
    }
    assertEquals(Outcome.RETRY, seen[0]);
    assertEquals(false, lowered[0]);
    assertEquals(2, manager.retries());
    assertEquals(0, inFrame(0, 1), "nothing was changed");
    assertTrue(array.tryLower(1, Rights.NONE));
    assertEquals(201, inFrame(1, 1));
  }

  @Test
  void shouldRefuseGroupsThatCannotBe() {
    assertEquals("minipage 8 at 1, must be from 0 to 7 and ascending",
        assertThrows(IllegalArgumentException.class, () -> manager.protect(array, new int[] {0, 8}, new byte[2])).getMessage());
    assertEquals("minipage 1 at 1, must be from 0 to 7 and ascending",
        assertThrows(IllegalArgumentException.class, () -> manager.protect(array, new int[] {1, 1}, new byte[2])).getMessage());
    assertEquals("2 minipages and 1 rights, must be as many",
        assertThrows(IllegalArgumentException.class, () -> manager.protect(array, new int[] {0, 1}, new byte[1])).getMessage());
    assertEquals("rights 3 at 0, must be from 0 to 2",
        assertThrows(IllegalArgumentException.class, () -> manager.protect(array, new int[] {0}, new byte[] {3})).getMessage());
  }

  @Test
  void shouldSayWhatIsMissingWhenUserfaultfdIsRefused() {
    assertTrue(UserFault.refusal(LinuxCalls.EPERM).contains("sysctl vm.unprivileged_userfaultfd=1"));
    assertTrue(UserFault.refusal(LinuxCalls.ENOSYS).contains("CONFIG_USERFAULTFD"));
  }
}
