package dev.weft.pager.server;

import akka.actor.typed.ActorRef;
import akka.actor.typed.DispatcherSelector;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.time.FabricContext;
import dev.weft.hca.cm.ConnectionRequest;
import dev.weft.hca.messaging.QueuePairChannel;
import dev.weft.hca.node.Node;
import dev.weft.pager.Errno;
import dev.weft.pager.memory.RegionAllocator;
import dev.weft.pager.memory.SparseMap;
import dev.weft.pager.wire.Handshake;
import dev.weft.pager.wire.PagerReply;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.List;

/** Bugs to be planted in the memory server; each method has the parameters of the call that it replaces. */
public final class PlantedBugs {
  private static int count;

  private PlantedBugs() {}

  /** Instead of {@code transfer} in {@code advance}: a write is answered when its RDMA Read begins. */
  static boolean answerEarly(ServerCore core, ServerOp op) {
    boolean done = (boolean) call(core, "transfer", op);
    if (done && op.stage == ServerOp.Stage.READING) {
      QueuePairChannel channel = op.client.channel;
      PagerReply reply = new PagerReply(channel.settings().messageBytes());
      reply.id = op.request.id;
      reply.status = Errno.OK;
      int slot = channel.reserve();
      channel.send(slot, reply.encode(channel.buffers(), channel.offset(slot)), true);
    }
    return done;
  }

  /** Instead of {@code enqueue} in {@code onReadCompleted}, together with the former. */
  static void releaseOnly(ServerCore core, ServerOp op) {
    op.client.release(op);
  }

  /** Instead of {@code prepareRead}: what an earlier client or a trim left is not zeroed. */
  static void showOldData(SparseMap map, long offset, long length) {}

  /** Instead of {@code add} in {@code onCompleted}: a staging buffer is returned twice. */
  static boolean returnTwice(ArrayDeque<Object> free, Object slot) {
    free.add(slot);
    return ++count % 7 == 0 ? free.add(slot) : true;
  }

  /** Instead of {@code forget} in {@code close}: what a lost client had under way stays booked. */
  static void keepTransfers(ServerCore core, ClientArea client) {}

  /** Instead of {@code free} in {@code close}: a lost client keeps its area. */
  static void keepArea(PagerStore store, long start, long bytes) {}

  /** Instead of {@code refuse} in {@code onResume}: who wants an area back that this server never lent gets memory under that name. */
  static void serveAnyway(MemoryServerActor server, ConnectionRequest request, Handshake.Refusal reason) throws ReflectiveOperationException {
    Handshake.Wish wish = Handshake.Wish.decode(request.privateData());
    PagerStore store = (PagerStore) field(server, "store");
    LentAreas areas = (LentAreas) field(server, "areas");
    boolean isFree = areas.all().stream().noneMatch(area -> area.name.number() == wish.area().number());
    long start = isFree ? store.allocate(wish.areaBytes()) : RegionAllocator.NONE;
    if (start == RegionAllocator.NONE) {
      request.reject(new Handshake.Denial(reason, 0).encode());
      return;
    }
    Zeroing zeroing = new Zeroing(ended -> { });
    LentArea area = new LentArea(wish.area(), request.peerNode(), start, wish.areaBytes(), store.map(start, wish.areaBytes(), zeroing), zeroing);
    areas.add(area);
    Method connect = MemoryServerActor.class.getDeclaredMethod("connect", ConnectionRequest.class, Handshake.Wish.class, LentArea.class,
        boolean.class);
    connect.setAccessible(true);
    connect.invoke(server, request, wish, area, true);
  }

  /** Instead of {@code fence} in {@code onResume}: the old connection's queue pair is destroyed a millisecond after the new one serves. */
  static void fenceLate(MemoryServerActor server, ClientArea client) throws ReflectiveOperationException {
    List<?> clients = (List<?>) field(server, "clients");
    ServerCore core = (ServerCore) field(server, "core");
    ActorContext<?> context = (ActorContext<?>) field(server, "context");
    FabricContext fabric = ((Node) field(server, "node")).context();
    clients.remove(client);
    client.closed = true;
    ActorRef<Boolean> later = context.spawnAnonymous(Behaviors.receiveMessage(now -> {
      client.channel.close();
      core.forget(client);
      return Behaviors.stopped();
    }), DispatcherSelector.sameAsParent());
    fabric.timers().at(fabric.clock().nowNs() + 1_000_000, later, true);
  }

  private static Object field(Object owner, String name) throws ReflectiveOperationException {
    Field field = owner.getClass().getDeclaredField(name);
    field.setAccessible(true);
    return field.get(owner);
  }

  /** Instead of {@code release} in {@code answer}: now and then a request is not given back. */
  static void leakRequest(ClientArea client, ServerOp op) {
    if (++count % 60 != 0) {
      client.release(op);
    }
  }

  /** Instead of {@code runAt} in {@code fillExtents}: a hole is said to be a block longer. */
  static long lengthenHole(SparseMap map, long at, long max) {
    long run = map.runAt(at, max);
    return run < 0 ? Math.max(-max, run - SparseMap.BLOCK_BYTES) : run;
  }

  private static Object call(Object owner, String name, Object argument) {
    try {
      for (Method method : owner.getClass().getDeclaredMethods()) {
        if (method.getName().equals(name) && method.getParameterCount() == 1) {
          method.setAccessible(true);
          return method.invoke(owner, argument);
        }
      }
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
    throw new IllegalStateException("no method " + name);
  }
}
