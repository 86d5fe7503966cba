package dev.weft.pvfs.manager;

import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;

/** What the manager's actor asks for each request. One thread. */
interface MetadataHandler extends AutoCloseable {
  /** The answer, which may be sent after the next {@link #commit} only. */
  MetaReply handle(MetaRequest request, long session);

  /** Makes all that was handled since the last time durable; false if that failed: then none of it is done. */
  boolean commit();

  /** A client is gone for good: what it had open is closed. */
  void endSession(long session);

  @Override
  void close();
}
