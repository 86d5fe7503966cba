package dev.weft.pager.client;

import dev.weft.pager.Errno;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.List;

/** Bugs to be planted in the pager client; each method has the parameters of the call that it replaces. */
public final class PlantedBugs {
  private PlantedBugs() {}

  /** Instead of {@code start} in {@code pump}: areas but the first are off by one sector. */
  static long offByOneSector(AreaMap areas, int server) {
    return server == 0 ? 0 : areas.start(server) - 512;
  }

  /** Instead of {@code takeBack} in {@code takeBack}: a credit does not come back when a connection is lost. */
  static List<DeviceRequest.Part> leakCredit(ServerLink link) throws ReflectiveOperationException {
    int outstanding = link.outstandingCount();
    List<DeviceRequest.Part> parts = link.takeBack();
    if (outstanding > 0) {
      Field free = ServerLink.class.getDeclaredField("freeCount");
      free.setAccessible(true);
      free.setInt(link, free.getInt(link) - 1);
    }
    return parts;
  }

  /** Instead of {@code ended} in {@code failAll}: what a dead server was to do counts as done. */
  static void swallowError(ClientCore core, DeviceRequest.Part part, int errno) throws ReflectiveOperationException {
    Method ended = ClientCore.class.getDeclaredMethod("ended", DeviceRequest.Part.class, int.class);
    ended.setAccessible(true);
    ended.invoke(core, part, Errno.OK);
  }

  /** Instead of {@code partDone} in {@code ended}: a request is over when the first of its parts is. */
  static void completeAtFirstPart(ClientCore core, DeviceRequest request, int errno, long at) throws ReflectiveOperationException {
    request.partsLeft = 1;
    Method partDone = ClientCore.class.getDeclaredMethod("partDone", DeviceRequest.class, int.class, long.class);
    partDone.setAccessible(true);
    partDone.invoke(core, request, errno, at);
  }

  /** Instead of {@code pump} in {@code onMessage}: requests that wait for a credit are forgotten. */
  static void forgetWaiting(ClientCore core, ServerLink link) {}

  /** Instead of {@code free} in {@code PoolBuffer.release}: a buffer is returned twice. */
  static void returnTwice(RegistrationPool pool, long start, int length) {
    pool.free(start, length);
    pool.free(start, length);
  }

  /** Instead of {@code take} in {@code onMessage}: an answer is taken for the request that holds the slot now, or for none. */
  static DeviceRequest.Part answerAnother(ServerLink link, long id) {
    DeviceRequest.Part next = link.take(id ^ 1);
    return next == null ? link.take(id) : next;
  }
}
