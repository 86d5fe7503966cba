package dev.weft.pager.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.messaging.ChannelSettings;
import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.messaging.MessageEndpoint;
import dev.weft.hca.messaging.MessageHandler;
import dev.weft.hca.messaging.QueuePairChannel;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.pager.memory.SparseMap;
import dev.weft.pager.wire.Handshake.AreaName;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A trim while the data of a write is on its way: they may take effect in either order, but in one. */
@Tag("simulation")
class ClientAreaTest {
  private static final int BLOCK = SparseMap.BLOCK_BYTES;
  private static final byte DATA = 5;

  private final VirtualFabric fabric = VirtualFabric.create(1, LinkFaults.NONE);
  private final byte[] memory = new byte[4 * BLOCK];
  private final ClientArea area = new ClientArea(new LentArea(AreaName.NONE, "n", 0, memory.length,
      new SparseMap(memory.length, false, (at, length) -> Arrays.fill(memory, (int) at, (int) (at + length), (byte) 0)),
      new Zeroing(ended -> {})), channel(), 4, 0, false);

  private QueuePairChannel channel() {
    Hca hca = fabric.addNode("n").hca();
    ChannelSettings settings = new ChannelSettings(64, 4, 4, 4);
    return new MessageEndpoint(hca, hca.allocPd(), settings.cqEntries(), ReceiveContext.PROCESS, false, new Silent(), () -> {})
        .open(settings);
  }

  @AfterEach
  void close() {
    fabric.close();
  }

  private ServerOp writing(int offset, int length) {
    ServerOp op = area.takeOp();
    op.request.areaOffset = offset;
    op.request.length = length;
    op.stage = ServerOp.Stage.READING;
    area.map.prepareWrite(offset, length);
    return op;
  }

  private byte[] read(int offset, int length) {
    area.map.prepareRead(offset, length);
    return Arrays.copyOfRange(memory, offset, offset + length);
  }

  private static byte[] bytes(int length, byte value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, value);
    return bytes;
  }

  @Test
  void shouldNotTakeBackWhatAReadHasShown() {
    ServerOp write = writing(BLOCK, BLOCK);
    area.trim(0, 4 * BLOCK);
    assertEquals(-1, Arrays.mismatch(bytes(BLOCK, (byte) 0), read(BLOCK, BLOCK)));
    Arrays.fill(memory, BLOCK, 2 * BLOCK, DATA);
    assertEquals(-1, Arrays.mismatch(bytes(BLOCK, DATA), read(BLOCK, BLOCK)));
    write.stage = ServerOp.Stage.REPLY;
    area.release(write);
    assertEquals(-1, Arrays.mismatch(bytes(BLOCK, DATA), read(BLOCK, BLOCK)));
    assertEquals(BLOCK, area.map.runAt(BLOCK, BLOCK), "what holds data is no hole");
    assertEquals(1, area.map.allocatedBlocks());
  }

  @Test
  void shouldZeroWhatALateWriteDoesNotCover() {
    area.map.prepareWrite(0, BLOCK);
    Arrays.fill(memory, 0, BLOCK, (byte) 9);
    writing(512, 512);
    area.trim(0, BLOCK);
    Arrays.fill(memory, 512, 1024, DATA);
    byte[] expected = new byte[BLOCK];
    Arrays.fill(expected, 512, 1024, DATA);
    assertEquals(-1, Arrays.mismatch(expected, read(0, BLOCK)));
  }

  @Test
  void shouldLeaveHolesWhereNoDataIsOnItsWay() {
    ServerOp ended = writing(0, BLOCK);
    ended.stage = ServerOp.Stage.REPLY;
    ServerOp staged = writing(BLOCK, BLOCK);
    staged.stagingSlot = 0;
    writing(3 * BLOCK, BLOCK);
    area.trim(0, 3 * BLOCK);
    assertEquals(1, area.map.allocatedBlocks(), "only what lies beyond the trim");
  }

  /** Hears nothing. */
  private static final class Silent implements MessageHandler {
    @Override
    public void onMessage(MessageChannel channel, MemorySegment buffer, long offset, int length) {}

    @Override
    public void onCompleted(MessageChannel channel, long token, WcStatus status) {}

    @Override
    public void onSendRoom(MessageChannel channel) {}

    @Override
    public void onFailed(MessageChannel channel, WcStatus status, int vendorErr) {}
  }
}
