package dev.weft.tripwire.via;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.hca.node.LocalFabric;
import dev.weft.tripwire.device.NicDevice;
import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.Endpoint;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.NicSnapshot;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.via.ViaDescriptor.Segment;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two providers in real time: each kind of descriptor, each error. */
@Tag("slow")
@Tag("actor")
class ViaTest {
  private static final long SECOND = 1_000_000_000L;
  private static final int TRANSFER = 100_000;
  private static final int DEPTH = 16;
  private static final Config CONFIG = ConfigFactory.parseString("weft.tripwire.via { queue-depth = " + DEPTH
      + ", segments-max = 4, receive-timeout = 6 s, check-interval = 20 ms, connect-timeout = 5 s }").withFallback(ConfigFactory.load());

  private final LocalFabric fabric = LocalFabric.start(ConfigFactory.empty());
  private final Arena arena = Arena.ofShared();
  private final Side near = new Side("near");
  private final Side far = new Side("far");
  private final Queue<ViaErrorHandler.Code> nearErrors = new ConcurrentLinkedQueue<>();
  private final Queue<ViaErrorHandler.Code> farErrors = new ConcurrentLinkedQueue<>();

  private final class Side {
    final Nic nic;
    final ViaNic via;
    final ProtectionTag tag;
    final MemorySegment memory = arena.allocate(1 << 18, 64);
    final MemoryHandle handle;
    Vi vi;

    Side(String name) {
      nic = NicDevice.start(fabric, fabric.addNode(name));
      via = ViaNic.open(nic, CONFIG);
      tag = via.createPtag();
      handle = via.registerMem(memory, tag, true);
    }

    Vi create(CompletionQueue sends, CompletionQueue receives) {
      return via.createVi(new ViAttributes(ViAttributes.Reliability.RELIABLE_DELIVERY, TRANSFER, tag), sends, receives);
    }

    Segment at(long offset, int length) {
      return new Segment(handle, offset, length);
    }

    ViaDescriptor received() {
      ViaDescriptor done = vi.recvWait(20 * SECOND);
      assertNotNull(done, "a receive is done");
      return done;
    }

    ViaDescriptor sent() {
      ViaDescriptor done = vi.sendWait(20 * SECOND);
      assertNotNull(done, "a send is done");
      return done;
    }
  }

  @AfterEach
  void close() {
    near.via.close();
    far.via.close();
    fabric.close();
    arena.close();
  }

  private void connect() throws InterruptedException {
    near.vi = near.create(null, null);
    far.vi = far.create(null, null);
    near.via.errorCallback((vi, code) -> nearErrors.add(code));
    far.via.errorCallback((vi, code) -> farErrors.add(code));
    join(near.vi, far.vi, 7);
  }

  private void join(Vi caller, Vi callee, int discriminator) throws InterruptedException {
    AtomicReference<RuntimeException> failure = new AtomicReference<>();
    Thread waits = Thread.ofPlatform().start(() -> {
      try {
        far.via.connectWait(discriminator, 20 * SECOND).accept(callee);
      } catch (RuntimeException failed) {
        failure.set(failed);
      }
    });
    caller.connectRequest("far", discriminator, 20 * SECOND);
    waits.join();
    assertNull(failure.get());
    assertEquals(ViState.CONNECTED, caller.state());
    assertEquals(ViState.CONNECTED, callee.state());
  }

  private void until(BooleanSupplier condition, String what) {
    assertTrue(fabric.help(condition, 90 * SECOND), what);
  }

  private static void fill(MemorySegment memory, long seed) {
    byte[] bytes = new byte[(int) memory.byteSize()];
    new SplittableRandom(seed).nextBytes(bytes);
    MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, 0, bytes.length);
  }

  /** A call from memory that is too short for an answer, or cannot be written. */
  @Test
  void shouldGoOnAfterCallsThatCannotBeAnswered() throws InterruptedException {
    near.nic.reach("far");
    Endpoint endpoint = near.nic.endpoint(0);
    Descriptor small = near.nic.export(arena.allocate(8, 8)).descriptor(Rights.ALL);
    Descriptor closed = near.nic.export(arena.allocate(1024, 8)).descriptor(Rights.READ);
    for (Descriptor bad : List.of(small, closed)) {
      byte[] call = ByteBuffer.allocate(Endpoint.MESSAGE_LENGTH).putInt(0x43414c4c).putInt(0).put(bad.toBytes()).array();
      assertTrue(endpoint.send(far.nic.lid(), CONFIG.getInt("weft.tripwire.via.port"), call));
    }
    connect();
  }

  @Test
  void shouldScatterWhatWasGathered() throws InterruptedException {
    connect();
    fill(near.memory, 1);
    ViaDescriptor receive = ViaDescriptor.receive(far.at(0, 10), far.at(1000, 5000), far.at(9000, 9000));
    far.vi.postRecv(receive);
    ViaDescriptor send = ViaDescriptor.send(near.at(0, 5000), near.at(20_000, 7), near.at(30_000, 2003)).withImmediate(-5);
    near.vi.postSend(send);
    assertSame(receive, far.received());
    assertEquals(ViaStatus.SUCCESS, receive.status());
    assertEquals(7010, receive.length());
    assertEquals(-5, receive.immediate());
    assertSame(send, near.sent());
    assertEquals(7010, send.length());
    byte[] got = new byte[7010];
    MemorySegment there = MemorySegment.ofArray(got);
    there.copyFrom(far.memory.asSlice(0, 10));
    there.asSlice(10).copyFrom(far.memory.asSlice(1000, 5000));
    there.asSlice(5010).copyFrom(far.memory.asSlice(9000, 2000));
    assertEquals(-1, there.asSlice(0, 5000).mismatch(near.memory.asSlice(0, 5000)));
    assertEquals(-1, there.asSlice(5000, 7).mismatch(near.memory.asSlice(20_000, 7)));
    assertEquals(-1, there.asSlice(5007).mismatch(near.memory.asSlice(30_000, 2003)));
  }

  @Test
  void shouldSendNothingButImmediateData() throws InterruptedException {
    connect();
    far.vi.postRecv(ViaDescriptor.receive());
    far.vi.postRecv(ViaDescriptor.receive(far.at(0, 10)));
    near.vi.postSend(ViaDescriptor.send().withImmediate(1));
    near.vi.postSend(ViaDescriptor.send());
    assertEquals(1, far.received().immediate());
    ViaDescriptor second = far.received();
    assertNull(second.immediate());
    assertEquals(0, second.length());
  }

  @Test
  void shouldWriteRemoteMemory() throws InterruptedException {
    connect();
    fill(near.memory, 2);
    near.vi.postSend(ViaDescriptor.rdmaWrite(far.handle.remote(), 100, near.at(50, 60_000), near.at(0, 50)));
    assertEquals(ViaStatus.SUCCESS, near.sent().status());
    ViaDescriptor receive = ViaDescriptor.receive(far.at(0, 10));
    far.vi.postRecv(receive);
    near.vi.postSend(ViaDescriptor.rdmaWrite(far.handle.remote(), 200_000, near.at(0, 3000)).withImmediate(9));
    assertSame(receive, far.received());
    assertTrue(receive.isRdmaWrite());
    assertEquals(9, receive.immediate());
    assertEquals(3000, receive.length());
    assertEquals(-1, far.memory.asSlice(100, 60_000).mismatch(near.memory.asSlice(50, 60_000)), "what went before is there before");
    assertEquals(-1, far.memory.asSlice(60_100, 50).mismatch(near.memory.asSlice(0, 50)));
    assertEquals(-1, far.memory.asSlice(200_000, 3000).mismatch(near.memory.asSlice(0, 3000)));
    assertEquals(0, far.memory.get(ValueLayout.JAVA_BYTE, 0), "the receive's own bytes stay as they are");
  }

  /** More messages than receives, of any length, both ways: in order, and nothing is overwritten. */
  @Test
  void shouldKeepTheOrder() throws InterruptedException {
    connect();
    int messages = 2000;
    Thread receiver = Thread.ofPlatform().start(() -> exchange(far, messages, 11));
    exchange(near, messages, 12);
    receiver.join();
    assertEquals(List.of(), List.copyOf(nearErrors));
    assertEquals(List.of(), List.copyOf(farErrors));
    assertEquals(ViState.CONNECTED, near.vi.state());
    assertEquals(messages, farTotal.get() == null ? 0 : farTotal.get());
  }

  private final AtomicReference<Integer> farTotal = new AtomicReference<>();

  private void exchange(Side side, int messages, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int size = 4000;
    for (int i = 0; i < DEPTH; i++) {
      side.vi.postRecv(ViaDescriptor.receive(side.at((long) i * size, size / 2), side.at((long) i * size + size / 2, size / 2)));
    }
    int sent = 0;
    int done = 0;
    int received = 0;
    while (done < messages || received < messages) {
      if (sent < messages && sent - done < DEPTH) {
        long at = 100_000 + (long) (sent % DEPTH) * size;
        int length = 4 + random.nextInt(size - 4);
        side.memory.asSlice(at, length).fill((byte) sent);
        side.memory.set(ValueLayout.JAVA_INT, at, sent);
        side.vi.postSend(ViaDescriptor.send(side.at(at, length)));
        sent++;
      }
      ViaDescriptor out = side.vi.sendDone();
      if (out != null) {
        assertEquals(ViaStatus.SUCCESS, out.status());
        done++;
      }
      ViaDescriptor in = sent < messages && sent - done < DEPTH ? side.vi.recvDone() : side.vi.recvWait(1_000_000);
      if (in != null) {
        assertEquals(ViaStatus.SUCCESS, in.status());
        long at = (long) (received % DEPTH) * size;
        assertEquals(received, side.memory.get(ValueLayout.JAVA_INT, at));
        for (int i = 4; i < in.length(); i++) {
          assertEquals((byte) received, side.memory.get(ValueLayout.JAVA_BYTE, at + i));
        }
        received++;
        side.vi.postRecv(in);
      }
    }
    if (side == far) {
      farTotal.set(received);
    }
  }

  @Test
  void shouldTellOfManyVisThroughOneCompletionQueue() throws InterruptedException {
    CompletionQueue cq = far.via.createCq(2 * DEPTH);
    Vi[] callers = {near.create(null, null), near.create(null, null)};
    Vi[] callees = {far.create(null, cq), far.create(null, cq)};
    assertEquals(ViaResult.ERROR_RESOURCE, assertThrows(ViaException.class, () -> far.create(null, cq)).result());
    for (int i = 0; i < 2; i++) {
      join(callers[i], callees[i], 20 + i);
      for (int k = 0; k < 3; k++) {
        callees[i].postRecv(ViaDescriptor.receive(far.at(0, 10)));
      }
    }
    for (int i : new int[] {1, 0, 0, 1}) {
      callers[i].postSend(ViaDescriptor.send(near.at(0, 4)));
      CompletionQueue.Entry entry = cq.await(20 * SECOND);
      assertSame(callees[i], entry.vi());
      assertTrue(entry.isReceive());
      assertEquals(4, callees[i].recvDone().length());
      assertNull(callees[i].recvDone(), "one entry, one descriptor");
    }
    assertNull(cq.done());
    assertEquals(ViaResult.INVALID_STATE, assertThrows(ViaException.class, () -> callees[0].recvWait(1)).result());
  }

  private void assertBroken(ViaErrorHandler.Code nearCode) {
    until(() -> near.vi.state() == ViState.ERROR && far.vi.state() == ViState.ERROR, "both sides are in error");
    until(() -> nearErrors.size() == 1 && farErrors.size() == 1, "both were told once, " + nearErrors + farErrors);
    assertEquals(nearCode, nearErrors.peek());
  }

  private void assertBadSend(ViaStatus status, ViaDescriptor bad) throws InterruptedException {
    connect();
    far.vi.postRecv(ViaDescriptor.receive(far.at(0, 10)));
    far.vi.postRecv(ViaDescriptor.receive(far.at(0, 10)));
    near.vi.postSend(ViaDescriptor.send(near.at(0, 5)));
    near.vi.postSend(bad);
    near.vi.postSend(ViaDescriptor.send(near.at(0, 5)));
    assertEquals(ViaStatus.SUCCESS, near.sent().status(), "what was posted before is not touched");
    assertSame(bad, near.sent());
    assertEquals(status, bad.status());
    assertEquals(ViaStatus.DESCRIPTOR_FLUSHED, near.sent().status(), "what was posted after is flushed");
    assertBroken(ViaErrorHandler.Code.POST_DESC);
    assertEquals(ViaStatus.SUCCESS, far.received().status());
    assertEquals(ViaStatus.DESCRIPTOR_FLUSHED, far.received().status());
  }

  @Test
  void shouldRefuseADescriptorThatIsTooLong() throws InterruptedException {
    assertBadSend(ViaStatus.FORMAT_ERROR, ViaDescriptor.send(near.at(0, TRANSFER), near.at(0, 1)));
  }

  @Test
  void shouldRefuseTooManySegments() throws InterruptedException {
    Segment one = near.at(0, 1);
    assertBadSend(ViaStatus.FORMAT_ERROR, ViaDescriptor.send(one, one, one, one, one));
  }

  @Test
  void shouldRefuseMemoryOfAnotherTag() throws InterruptedException {
    MemoryHandle other = near.via.registerMem(arena.allocate(10), near.via.createPtag(), false);
    assertBadSend(ViaStatus.PROTECTION_ERROR, ViaDescriptor.send(new Segment(other, 0, 10)));
  }

  @Test
  void shouldRefuseMemoryThatIsNotRegisteredAnyMore() throws InterruptedException {
    MemoryHandle gone = near.via.registerMem(arena.allocate(10), near.tag, false);
    near.via.deregisterMem(gone);
    assertBadSend(ViaStatus.PROTECTION_ERROR, ViaDescriptor.send(new Segment(gone, 0, 10)));
  }

  @Test
  void shouldRefuseBytesBeyondTheMemory() throws InterruptedException {
    assertBadSend(ViaStatus.PROTECTION_ERROR, ViaDescriptor.send(near.at((1 << 18) - 4, 5)));
  }

  @Test
  void shouldRefuseAnRdmaWriteBeyondTheRemoteMemory() throws InterruptedException {
    assertBadSend(ViaStatus.RDMA_PROTECTION_ERROR, ViaDescriptor.rdmaWrite(far.handle.remote(), (1 << 18) - 4, near.at(0, 5)));
  }

  @Test
  void shouldRefuseAReceiveAmongSends() throws InterruptedException {
    assertBadSend(ViaStatus.FORMAT_ERROR, ViaDescriptor.receive(near.at(0, 5)));
  }

  @Test
  void shouldRefuseABadReceiveWhenItsTurnComes() throws InterruptedException {
    connect();
    far.vi.postRecv(ViaDescriptor.receive(far.at(0, 10)));
    ViaDescriptor bad = ViaDescriptor.receive(far.at(1 << 18, 10));
    far.vi.postRecv(bad);
    near.vi.postSend(ViaDescriptor.send(near.at(0, 5)));
    assertEquals(ViaStatus.SUCCESS, far.received().status());
    assertSame(bad, far.received());
    assertEquals(ViaStatus.PROTECTION_ERROR, bad.status());
    assertBroken(ViaErrorHandler.Code.CONN_LOST);
  }

  @Test
  void shouldTellBothThatAMessageWasTooLongForItsReceive() throws InterruptedException {
    connect();
    ViaDescriptor receive = ViaDescriptor.receive(far.at(0, 10), far.at(50, 10));
    far.vi.postRecv(receive);
    near.vi.postSend(ViaDescriptor.send(near.at(0, 21)));
    assertEquals(ViaStatus.LENGTH_ERROR, near.sent().status());
    assertSame(receive, far.received());
    assertEquals(ViaStatus.LENGTH_ERROR, receive.status());
    assertBroken(ViaErrorHandler.Code.POST_DESC);
    assertEquals(0, far.memory.get(ValueLayout.JAVA_BYTE, 0), "nothing was written");
  }

  @Test
  void shouldEndTheConnectionWhenNoReceiveIsPostedInTime() throws InterruptedException {
    connect();
    far.vi.postRecv(ViaDescriptor.receive(far.at(0, 10)));
    near.vi.postSend(ViaDescriptor.send(near.at(0, 5)));
    near.vi.postSend(ViaDescriptor.send(near.at(0, 5)));
    assertEquals(ViaStatus.SUCCESS, near.sent().status());
    assertEquals(ViaStatus.TRANSPORT_ERROR, near.sent().status());
    assertBroken(ViaErrorHandler.Code.RECVQ_EMPTY);
    assertEquals(ViaErrorHandler.Code.RECVQ_EMPTY, farErrors.peek());
  }

  @Test
  void shouldWaitForAReceiveThatComesInTime() throws InterruptedException {
    connect();
    near.vi.postSend(ViaDescriptor.send(near.at(0, 5)));
    assertNull(near.vi.sendWait(20_000_000));
    far.vi.postRecv(ViaDescriptor.receive(far.at(0, 10)));
    assertEquals(ViaStatus.SUCCESS, near.sent().status());
  }

  @Test
  void shouldTellThatRemoteMemoryIsNotRegisteredAnyMore() throws InterruptedException {
    connect();
    MemoryHandle gone = far.via.registerMem(arena.allocate(100), far.tag, true);
    var cookie = gone.remote();
    far.via.deregisterMem(gone);
    near.vi.postSend(ViaDescriptor.rdmaWrite(cookie, 0, near.at(0, 5)));
    near.sent();
    assertBroken(ViaErrorHandler.Code.RDMAW_PROT);
  }

  @Test
  void shouldFlushWhatIsSentWithoutAConnection() {
    near.vi = near.create(null, null);
    near.vi.postSend(ViaDescriptor.send(near.at(0, 5)));
    assertEquals(ViaStatus.DESCRIPTOR_FLUSHED, near.sent().status());
    assertEquals(ViState.IDLE, near.vi.state());
    near.vi.postRecv(ViaDescriptor.receive(near.at(0, 5)));
    assertNull(near.vi.recvWait(20_000_000), "receives may be posted before the connection");
    assertEquals(ViaResult.ERROR_RESOURCE, assertThrows(ViaException.class, near.vi::destroy).result());
    near.vi.disconnect();
    assertEquals(ViaStatus.DESCRIPTOR_FLUSHED, near.received().status());
    near.vi.destroy();
  }

  @Test
  void shouldTellEmptyAndFullQueues() {
    near.vi = near.create(null, null);
    assertNull(near.vi.sendDone());
    assertNull(near.vi.recvDone());
    assertNull(near.vi.sendWait(1000));
    for (int i = 0; i < DEPTH; i++) {
      near.vi.postRecv(ViaDescriptor.receive(near.at(0, 5)));
    }
    ViaDescriptor more = ViaDescriptor.receive(near.at(0, 5));
    assertEquals(ViaResult.ERROR_RESOURCE, assertThrows(ViaException.class, () -> near.vi.postRecv(more)).result());
    assertEquals(ViaStatus.SUCCESS, more.status(), "it was not posted");
  }

  @Test
  void shouldRefuseToPostWhatIsPosted() {
    near.vi = near.create(null, null);
    ViaDescriptor once = ViaDescriptor.receive(near.at(0, 5));
    near.vi.postRecv(once);
    assertEquals(ViaResult.INVALID_PARAMETER, assertThrows(ViaException.class, () -> near.vi.postRecv(once)).result());
  }

  private ViaResult refusal(String node, int discriminator, long maxNs) {
    return assertThrows(ViaException.class, () -> near.vi.connectRequest(node, discriminator, maxNs)).result();
  }

  @Test
  void shouldTellWhyThereIsNoConnection() throws InterruptedException {
    near.vi = near.create(null, null);
    assertEquals(ViaResult.NOT_REACHABLE, refusal("nobody", 1, SECOND));
    assertEquals(ViaResult.NO_MATCH, refusal("far", 1, 20 * SECOND));
    assertEquals(ViaResult.TIMEOUT, refusal("far", 1, SECOND / 20));
    Thread rejects = Thread.ofPlatform().start(() -> far.via.connectWait(2, 20 * SECOND).reject());
    assertEquals(ViaResult.REJECT, refusal("far", 2, 20 * SECOND));
    rejects.join();
    assertEquals(ViState.IDLE, near.vi.state());
    assertNull(far.via.connectWait(3, 1_000_000));
    connect();
    assertEquals(ViaResult.INVALID_STATE, refusal("far", 7, SECOND));
  }

  @Test
  void shouldRefuseAttributesThatItDoesNotHave() {
    for (ViAttributes.Reliability level : List.of(ViAttributes.Reliability.UNRELIABLE, ViAttributes.Reliability.RELIABLE_RECEPTION)) {
      assertEquals(ViaResult.INVALID_RELIABILITY_LEVEL, assertThrows(ViaException.class,
          () -> near.via.createVi(new ViAttributes(level, 100, near.tag), null, null)).result());
    }
    assertEquals(ViaResult.INVALID_PTAG, assertThrows(ViaException.class,
        () -> near.via.createVi(new ViAttributes(ViAttributes.Reliability.RELIABLE_DELIVERY, 100, null), null, null)).result());
    assertEquals(ViaResult.INVALID_MTU, assertThrows(ViaException.class,
        () -> near.via.createVi(new ViAttributes(ViAttributes.Reliability.RELIABLE_DELIVERY, 0, near.tag), null, null)).result());
    MemoryHandle plain = near.via.registerMem(arena.allocate(10), near.tag, false);
    assertEquals(ViaResult.INVALID_PARAMETER, assertThrows(ViaException.class, plain::remote).result());
  }

  private static List<Integer> held(Nic nic) {
    NicSnapshot now = nic.inspect();
    return List.of(now.apertures().size(), now.mappings().size(), now.endpoints().size(), now.tripwires());
  }

  @Test
  void shouldConnectAgainAndHoldNothing() throws InterruptedException {
    near.vi = near.create(null, null);
    far.vi = far.create(null, null);
    List<Integer> nearBefore = held(near.nic);
    List<Integer> farBefore = held(far.nic);
    for (int round = 0; round < 5; round++) {
      far.vi.postRecv(ViaDescriptor.receive(far.at(0, 10)));
      far.vi.postRecv(ViaDescriptor.receive(far.at(0, 10)));
      join(near.vi, far.vi, 7);
      near.vi.postSend(ViaDescriptor.send(near.at(0, 5)));
      assertEquals(ViaStatus.SUCCESS, far.received().status(), "it was posted before the connection");
      assertEquals(ViaStatus.SUCCESS, near.sent().status());
      near.vi.disconnect();
      assertEquals(ViState.IDLE, near.vi.state());
      until(() -> far.vi.state() == ViState.ERROR, "the other side is told");
      assertEquals(ViaStatus.DESCRIPTOR_FLUSHED, far.received().status());
      far.vi.disconnect();
      assertEquals(ViState.IDLE, far.vi.state());
    }
    assertEquals(nearBefore, held(near.nic));
    assertEquals(farBefore, held(far.nic));
    near.vi.destroy();
    far.vi.destroy();
  }
}
