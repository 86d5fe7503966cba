package dev.weft.hca.netvm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.BehaviorTestKit;
import akka.actor.testkit.typed.javadsl.TestInbox;
import dev.weft.fabric.packet.CopyCounter;
import dev.weft.fabric.packet.Payload;
import dev.weft.hca.netvm.NicPages.Outcome;
import dev.weft.hca.netvm.ShadowPtActor.Command;
import dev.weft.hca.netvm.ShadowPtActor.Copy;
import dev.weft.hca.netvm.ShadowPtActor.Fault;
import dev.weft.hca.netvm.ShadowPtActor.Loaded;
import dev.weft.hca.netvm.ShadowPtActor.Ready;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The protocol of a shadow page table, message by message: the transport places and looks, the host's backing store answers when the test
 * says so, and who waits for pages is woken. Memory has two frames for four pages.
 */
@Timeout(180)
class ShadowPtProtocolTest {
  private static final int PAGE = 512;

  /** A request that the store has not answered. */
  private record Asked(boolean isWrite, long page, MemorySegment frame, BackingStore.Done done) {}

  /** A store that answers when told to. */
  private static final class SlowStore implements BackingStore {
    final ArrayDeque<Asked> asked = new ArrayDeque<>();

    @Override
    public void read(long page, MemorySegment frame, Done done) {
      asked.add(new Asked(false, page, frame, done));
    }

    @Override
    public void write(long page, MemorySegment frame, Done done) {
      asked.add(new Asked(true, page, frame, done));
    }

    @Override
    public void discard(long page) {}

    @Override
    public void close() {}
  }

  private final SlowStore store = new SlowStore();
  private final HostVm vm = new HostVm(new NetVmSettings(PAGE, 2, 4, 1, 4, 1 << 20), store, VmProcessor.DIRECT);
  private final AddressSpace space = vm.createSpace();
  private final long base = space.map(space.base(), 4L * PAGE).address();
  private int woken;
  private final NicPages pages = new NicPages(vm, 4096, new CopyCounter(), () -> woken++);
  private final BehaviorTestKit<Command> shadow = BehaviorTestKit.create(ShadowPtActor.create(pages));
  private final TestInbox<Command> inbox = shadow.selfInbox();
  private int roomCalls;
  private final RedirectBuffer.Account account = pages.redirect().open(() -> roomCalls++);

  private static byte[] bytes(int value, int length) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  private void place(int page, int offset, byte[] data) {
    account.begin();
    assertTrue(pages.place(account, Payload.of(MemorySegment.ofArray(data), 0, data.length), 0, base + (long) page * PAGE + offset, data.length));
  }

  private long number(int page) {
    return vm.pageOf(base + (long) page * PAGE);
  }

  /** The message is the next in the mailbox, and the actor reads it. */
  private void reads(Command expected) {
    assertEquals(expected, inbox.receiveMessage());
    shadow.run(expected);
  }

  private void silence() {
    assertFalse(inbox.hasMessages(), () -> "told " + inbox.getAllReceived());
  }

  private Asked asked(boolean isWrite, int page) {
    Asked next = store.asked.remove();
    assertEquals(isWrite, next.isWrite);
    assertEquals(number(page), next.page);
    return next;
  }

  private void bringIn(int page) {
    reads(new Fault(number(page)));
    asked(false, page).done.done(null);
    reads(new Loaded(number(page)));
    reads(new Copy(number(page)));
    reads(new Ready(number(page), true));
    silence();
  }

  private byte[] peek(int page) {
    byte[] all = new byte[PAGE];
    boolean[] done = new boolean[1];
    space.read(base + (long) page * PAGE, MemorySegment.ofArray(all), ok -> done[0] = ok);
    assertTrue(done[0], "the page is there");
    return all;
  }

  @Test
  void shouldFetchAnAbsentPageOnceCopyWhatWaitsForItInOrderAndWakeWhoWaits() {
    place(1, 0, bytes(7, 100));
    place(1, 50, bytes(8, 100));
    assertEquals(Outcome.ABSENT, pages.look(base + PAGE, 1));
    assertEquals(2, account.used());
    reads(new Fault(number(1)));
    silence();
    assertEquals(1, store.asked.size());
    assertEquals(0, woken);

    Asked read = asked(false, 1);
    read.frame.fill((byte) 1);
    read.done.done(null);
    assertEquals(Outcome.ABSENT, pages.look(base + PAGE, 1), "loaded is not accessible: data waits to be copied there");
    reads(new Loaded(number(1)));
    reads(new Copy(number(1)));
    assertEquals(0, account.used());
    assertEquals(1, roomCalls);
    reads(new Ready(number(1), true));
    assertEquals(1, woken);
    silence();

    byte[] expected = bytes(1, PAGE);
    System.arraycopy(bytes(7, 50), 0, expected, 0, 50);
    System.arraycopy(bytes(8, 100), 0, expected, 50, 100);
    assertArrayEquals(expected, peek(1));
    assertEquals(Outcome.DONE, pages.look(base + PAGE, PAGE));
    place(1, 0, bytes(9, 1));
    silence();
    assertEquals(9, peek(1)[0]);
  }

  @Test
  void shouldWriteADirtyPageOutBeforeItsFrameIsGivenToAnother() {
    place(0, 0, bytes(7, 10));
    bringIn(0);
    place(1, 0, bytes(8, 10));
    bringIn(1);
    place(2, 0, bytes(9, 10));
    reads(new Fault(number(2)));
    Asked out = store.asked.remove();
    assertTrue(out.isWrite && store.asked.isEmpty(), "no frame is read into before what was there is kept");
    int victim = out.page == number(0) ? 0 : 1;
    assertEquals(7 + victim, out.frame.get(ValueLayout.JAVA_BYTE, 0));
    silence();
    out.done.done(null);
    asked(false, 2).done.done(null);
    reads(new Loaded(number(2)));
    reads(new Copy(number(2)));
    reads(new Ready(number(2), true));
    assertEquals(Outcome.ABSENT, pages.look(base + (long) victim * PAGE, 1));
  }

  @Test
  void shouldKeepAPageThatIsHeldThoughAnotherWantsItsFrame() {
    place(0, 0, bytes(7, 10));
    bringIn(0);
    place(1, 0, bytes(8, 10));
    bringIn(1);
    assertEquals(Outcome.DONE, pages.hold(base));
    place(2, 0, bytes(9, 10));
    reads(new Fault(number(2)));
    asked(true, 1).done.done(null);
    asked(false, 2);
    assertEquals(7, pages.onWord(base, (memory, offset) -> memory.get(ValueLayout.JAVA_BYTE, offset)));
    pages.drop();
  }

  @Test
  void shouldDenyAPageThatTheStoreCannotBringAndDropWhatWaitsForIt() {
    place(1, 0, bytes(7, 100));
    boolean[] settled = {true};
    account.afterCopies(kept -> settled[0] = kept);
    reads(new Fault(number(1)));
    asked(false, 1).done.done("the disk is gone");
    reads(new Ready(number(1), false));
    assertEquals(1, woken);
    assertFalse(settled[0], "who waited for the bytes to be in memory is told that they are not");
    assertEquals(0, account.used());
    assertEquals(Outcome.DENIED, pages.look(base + PAGE, 1));
    silence();
  }

  @Test
  void shouldDropWhatWaitsForAPageThatIsUnmappedMeanwhile() {
    place(1, 0, bytes(7, 100));
    reads(new Fault(number(1)));
    boolean[] unmapped = new boolean[1];
    space.unmap(base + PAGE, PAGE, () -> unmapped[0] = true);
    assertEquals(Outcome.DENIED, pages.look(base + PAGE, 1));
    asked(false, 1).done.done(null);
    assertTrue(unmapped[0]);
    while (inbox.hasMessages()) {
      shadow.runOne();
    }
    assertEquals(0, account.used());
    assertEquals(1, woken);
    space.map(base + PAGE, PAGE);
    assertEquals(Outcome.ABSENT, pages.look(base + PAGE, 1));
    reads(new Fault(number(1)));
    Asked again = asked(false, 1);
    again.frame.fill((byte) 0);
    again.done.done(null);
    reads(new Loaded(number(1)));
    reads(new Copy(number(1)));
    reads(new Ready(number(1), true));
    assertArrayEquals(new byte[PAGE], peek(1), "nothing of the former mapping is there");
  }
}
