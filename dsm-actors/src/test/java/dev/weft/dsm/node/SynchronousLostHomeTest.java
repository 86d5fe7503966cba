package dev.weft.dsm.node;

import org.junit.jupiter.api.Tag;

/** The same with the synchronous engine. */
@Tag("actor")
class SynchronousLostHomeTest extends LostHomeTest {
  @Override
  String engine() {
    return "synchronous";
  }
}
