package dev.weft.pvfs.manager;

import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.util.Set;
import java.util.function.LongConsumer;

/** What the manager's actor asks for each request. One thread. */
interface MetadataHandler extends AutoCloseable {
  /** The answer, which may be sent after the next {@link #commit} only. */
  MetaReply handle(MetaRequest request, long session);

  /** Makes all that was handled since the last time durable; false if that failed: then none of it is done. */
  boolean commit();

  /**
   * Begins what the daemons have to do because of what is durable now, and was not begun before.
   *
   * @param whenDone gets a number for {@link #effectDone}; any thread
   * @return numbers of those that clients may not be answered before
   */
  Set<Long> beginEffects(LongConsumer whenDone);

  /** The daemons have done it. */
  void effectDone(long number);

  /** A client is gone for good: what it had open is closed. */
  void endSession(long session);

  @Override
  void close();
}
