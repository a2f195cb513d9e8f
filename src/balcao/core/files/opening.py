"""Choose the storage of files by the settings."""

from balcao.core.files.folder import FolderStorage
from balcao.core.files.storage import FileStorage
from balcao.settings import Settings


def make_storage(settings: Settings) -> FileStorage:
    """Return the storage that the settings name: the bucket, or else the folder `files` of the data folder."""
    if not settings.files_s3_url:
        return FolderStorage(settings.data_dir / "files")
    from balcao.core.files.bucket import BucketStorage  # its library is loaded only if it is used

    return BucketStorage(settings)
