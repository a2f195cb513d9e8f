"""Open the file storage that the settings choose."""

from balcao.core.files.folder import FolderStorage
from balcao.core.files.storage import FileStorage
from balcao.settings import Settings


def make_storage(settings: Settings) -> FileStorage:
    """Return the bucket if the settings name one. Otherwise return the folder `files` in the data folder."""
    if not settings.files_s3_url:
        return FolderStorage(settings.data_dir / "files")
    from balcao.core.files.bucket import BucketStorage  # load the library only if it is used

    return BucketStorage(settings)
