package dev.weft.dsm.node;

/** The same with the synchronous engine. */
class SynchronousSharedMemoryTest extends SharedMemoryTest {
  @Override
  String engine() {
    return "synchronous";
  }
}
