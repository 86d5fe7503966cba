package dev.weft.pvfs.mount;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.rules.OwnThread;
import dev.weft.hca.node.LocalFabric;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.Player;
import dev.weft.pvfs.Player.Heard;
import dev.weft.pvfs.Player.Up;
import dev.weft.pvfs.Player.Wanted;
import dev.weft.pvfs.client.DaemonAddress;
import dev.weft.pvfs.fuse.FuseLock;
import dev.weft.pvfs.fuse.FuseReply;
import dev.weft.pvfs.meta.MetaClient;
import dev.weft.pvfs.wire.FileLock;
import dev.weft.pvfs.wire.ManagerHello;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A probe plays the manager. */
@Tag("actor")
@Timeout(180)
class MountLocksTest {
  private static final String SERVICE = "pvfs-manager";
  private static final long FILE = 7;
  private static final long OWNER = 3;

  private static final class Answer extends CompletableFuture<Integer> implements FuseReply.Done {
    @Override
    public int uid() {
      return 0;
    }

    @Override
    public int gid() {
      return 0;
    }

    @Override
    public int pid() {
      return 1;
    }

    @Override
    public void fail(int errno) {
      complete(errno);
    }

    @Override
    public void onInterrupt(Runnable action) {}

    @Override
    public void done() {
      complete(Errno.OK);
    }
  }

  private final LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString("weft.hca.pin-memory = false"));
  private final Player manager = Player.on(fabric, "manager");
  private int line;

  private MetaClient connect() {
    manager.listen(SERVICE);
    MetaClient client = MetaClient.start(fabric, fabric.addNode("client"), "test", new DaemonAddress("manager", SERVICE), fabric.config());
    Wanted wanted = manager.next(Wanted.class);
    line = wanted.line();
    manager.accept(line, new ManagerHello(ManagerHello.decode(wanted.said()).session(), 1, 4).encode());
    manager.next(Up.class);
    return client;
  }

  private MetaRequest expect(MetaOp op) {
    MetaRequest request = MetaRequest.decode(ByteBuffer.wrap(manager.next(Heard.class).message()));
    assertEquals(op, request.op());
    return request;
  }

  private void answer(MetaRequest request) {
    ByteBuffer out = ByteBuffer.allocate(MetaReply.BYTES_MAX);
    MetaReply.ok(request.id()).encode(out);
    manager.say(line, Arrays.copyOf(out.array(), out.position()));
  }

  private void dropAtTheManager(MountLocks locks) throws Exception {
    CompletableFuture<Integer> dropped = CompletableFuture.supplyAsync(() -> locks.drop(FILE, OWNER, FileLock.POSIX), OwnThread::run);
    MetaRequest unlock = expect(MetaOp.LOCK);
    assertEquals(FileLock.NONE, FileLock.decode(unlock.value()).type());
    answer(unlock);
    assertEquals(Errno.OK, dropped.get(90, TimeUnit.SECONDS));
  }

  @Test
  void shouldUnlockWhatWasGrantedBehindACloseWithTheNextClose() throws Exception {
    try {
      MetaClient client = connect();
      MountLocks locks = new MountLocks(client.locks());
      Answer locked = new Answer();
      locks.set(FILE, 1, OWNER, new FuseLock(FuseLock.WRITE, 0, 9, 1), false, false, locked);
      MetaRequest asked = expect(MetaOp.LOCK);
      dropAtTheManager(locks);
      answer(asked); // It has waited for those that had locks at the manager before.
      assertEquals(Errno.OK, locked.get(90, TimeUnit.SECONDS));
      dropAtTheManager(locks);
      assertEquals(Errno.OK, locks.drop(FILE, OWNER, FileLock.POSIX), "nobody is asked");
      Thread bye = Thread.startVirtualThread(() -> answer(expect(MetaOp.BYE)));
      client.close();
      bye.join();
    } finally {
      fabric.close();
    }
  }
}
